import { unavailable } from '@witan/contracts';
import type { MaskedJson, MaskTask } from '../mask-json.ts';

export type PendingText = {
  task: MaskTask;
  workspaceId: string;
  resolve: (masked: MaskedJson) => void;
  reject: (error: unknown) => void;
};

/** A fair queue of texts to mask: round-robin between workspaces, first in first out within one. */
export type MaskQueue = {
  /** Adds a text. Throws UNAVAILABLE when the queue is full. */
  add: (pending: PendingText) => void;
  take: () => PendingText | undefined;
  remove: (pending: PendingText) => void;
  takeAll: () => PendingText[];
};

/** Limits of the queued text in UTF-16 units: for one workspace, and for all together. */
const OWN_LENGTH_MAX = 48 * 1024 * 1024;
const TOTAL_LENGTH_MAX = 192 * 1024 * 1024;

export const createMaskQueue = (): MaskQueue => {
  const lists = new Map<string, PendingText[]>();
  let lastServed: string | undefined;

  const setList = (workspaceId: string, list: PendingText[]): void => {
    lists.delete(workspaceId);
    if (list.length > 0) lists.set(workspaceId, list);
  };
  /**
   * Returns the workspace to serve: the first in line, or the second if the first was served last.
   */
  const nextWorkspace = (): string | undefined => {
    const [first, second] = lists.keys();
    return first === lastServed ? (second ?? first) : first;
  };
  return {
    add: (pending) => {
      const own = lists.get(pending.workspaceId) ?? [];
      const { length } = pending.task.text;
      const isFull =
        sumLengths(own) + length > OWN_LENGTH_MAX ||
        sumLengths([...lists.values()].flat()) + length > TOTAL_LENGTH_MAX;
      if (isFull) throw unavailable('Too many long texts wait to be read; try again.');
      lists.set(pending.workspaceId, [...own, pending]);
    },
    take: () => {
      const workspaceId = nextWorkspace();
      if (workspaceId === undefined) return undefined;
      const [pending, ...rest] = lists.get(workspaceId)!;
      setList(workspaceId, rest);
      lastServed = workspaceId;
      return pending;
    },
    remove: (pending) => {
      const list = lists.get(pending.workspaceId);
      if (!list?.includes(pending)) return;
      const rest = list.filter((other) => other !== pending);
      // `Map.set` on an existing key keeps the workspace's position in the round-robin.
      if (rest.length > 0) lists.set(pending.workspaceId, rest);
      else lists.delete(pending.workspaceId);
    },
    takeAll: () => {
      const all = [...lists.values()].flat();
      lists.clear();
      return all;
    },
  };
};

const sumLengths = (list: readonly PendingText[]): number =>
  list.reduce((sum, { task }) => sum + task.text.length, 0);
