import { unavailable } from '@witan/contracts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

/** A task in the queue, with the functions that settle it. */
export type WaitingSchema = {
  task: SchemaTask;
  workspaceId: string;
  resolve: (reply: SchemaReply) => void;
  reject: (error: unknown) => void;
};

/** Tasks in order per workspace, with round-robin among workspaces. */
export type SchemaQueue = {
  /** Throws UNAVAILABLE if too many tasks of the workspace wait. */
  add: (one: WaitingSchema) => void;
  take: () => WaitingSchema | undefined;
  /** Removes a task whose caller has left. */
  remove: (one: WaitingSchema) => void;
  takeAll: () => WaitingSchema[];
};

/** Per workspace; texts of that many calls take some megabytes. */
export const WAITING_MAX = 256;

export const createSchemaQueue = (): SchemaQueue => {
  /** The first workspace is next; after its task it moves to the end. */
  const lists = new Map<string, Set<WaitingSchema>>();
  /**
   * The workspace served last that had no more tasks: if it returns at once, it is not served
   * first.
   */
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
