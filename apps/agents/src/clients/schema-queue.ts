import { unavailable } from '@witan/contracts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

/** A task that waits for the thread, and who hears of it. */
export type WaitingSchema = {
  task: SchemaTask;
  workspaceId: string;
  resolve: (reply: SchemaReply) => void;
  reject: (error: unknown) => void;
};

/** Tasks of a workspace in their order; workspaces take turns, so that none waits for another. */
export type SchemaQueue = {
  /** Throws UNAVAILABLE when too many of the workspace wait. */
  add: (one: WaitingSchema) => void;
  take: () => WaitingSchema | undefined;
  /** Who left is passed over. */
  remove: (one: WaitingSchema) => void;
  takeAll: () => WaitingSchema[];
};

/** Of one workspace: as many calls as turns in plenty make, and some megabytes of text. */
export const WAITING_MAX = 256;

export const createSchemaQueue = (): SchemaQueue => {
  /** Whose turn it is comes first; who has had it goes to the end. */
  const lists = new Map<string, Set<WaitingSchema>>();
  /** Who was served last and had nothing more: coming back at once, it is not first again. */
  let lastServed: string | undefined;

  const choose = (): string | undefined => {
    const [first, second] = lists.keys();
    return first === lastServed ? (second ?? first) : first;
  };
  return {
    add: (one) => {
      const list = lists.get(one.workspaceId) ?? new Set();
      if (list.size >= WAITING_MAX) {
        const message = `${WAITING_MAX} schemas of this workspace wait to be read; try again.`;
        throw unavailable(message);
      }
      lists.set(one.workspaceId, list.add(one));
    },
    take: () => {
      const workspaceId = choose();
      if (workspaceId === undefined) return undefined;
      const list = lists.get(workspaceId)!;
      const [one] = list;
      list.delete(one!);
      lists.delete(workspaceId);
      if (list.size > 0) lists.set(workspaceId, list);
      lastServed = workspaceId;
      return one;
    },
    remove: (one) => {
      const list = lists.get(one.workspaceId);
      list?.delete(one);
      if (list?.size === 0) lists.delete(one.workspaceId);
    },
    takeAll: () => {
      const all = [...lists.values()].flatMap((list) => [...list]);
      lists.clear();
      return all;
    },
  };
};
