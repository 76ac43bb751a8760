import { unavailable } from '@witan/contracts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

export type WaitingSchema = {
  task: SchemaTask;
  workspaceId: string;
  resolve: (reply: SchemaReply) => void;
  reject: (error: unknown) => void;
};

export type SchemaQueue = {
  /** Throws UNAVAILABLE if the workspace has too many queued tasks. */
  add: (one: WaitingSchema) => void;
  take: () => WaitingSchema | undefined;
  remove: (one: WaitingSchema) => void;
  takeAll: () => WaitingSchema[];
};

/** Limit per workspace; the texts of this many tasks take some megabytes. */
export const WAITING_MAX = 256;

export const createSchemaQueue = (): SchemaQueue => {
  const lists = new Map<string, Set<WaitingSchema>>();
  /** Last workspace served. If it returns immediately, the other workspaces are served first. */
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
