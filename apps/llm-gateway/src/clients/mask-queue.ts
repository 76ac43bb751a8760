import { unavailable } from '@witan/contracts';
import type { MaskedJson, MaskTask } from '../domain/privacy/mask-json.ts';

/** A text that waits for the thread, and who hears of it. */
export type PendingText = {
  task: MaskTask;
  workspaceId: string;
  resolve: (masked: MaskedJson) => void;
  reject: (error: unknown) => void;
};

/** Texts in their order; workspaces take turns. */
export type MaskQueue = {
  /** Throws UNAVAILABLE when too much waits. */
  add: (one: PendingText) => void;
  take: () => PendingText | undefined;
  /** Who left is passed over. */
  remove: (one: PendingText) => void;
  takeAll: () => PendingText[];
};

/** UTF-16 units that may wait, of one workspace and of all; who brings more may come again. */
const OWN_LENGTH_MAX = 48 * 1024 * 1024;
const ALL_LENGTH_MAX = 192 * 1024 * 1024;

export const createMaskQueue = (): MaskQueue => {
  const lists = new Map<string, PendingText[]>();
  let lastServed: string | undefined;

  const setList = (workspaceId: string, list: PendingText[]): void => {
    lists.delete(workspaceId);
    if (list.length > 0) lists.set(workspaceId, list);
  };
  /** Who came first, unless it had the turn before and others wait. */
  const choose = (): string | undefined => {
    const [first, second] = lists.keys();
    return first === lastServed ? (second ?? first) : first;
  };
  return {
    add: (one) => {
      const own = lists.get(one.workspaceId) ?? [];
      const { length } = one.task.text;
      const isFull =
        sumLengths(own) + length > OWN_LENGTH_MAX ||
        sumLengths([...lists.values()].flat()) + length > ALL_LENGTH_MAX;
      if (isFull) throw unavailable('Too many long texts wait to be read; try again.');
      lists.set(one.workspaceId, [...own, one]);
    },
    take: () => {
      const workspaceId = choose();
      if (workspaceId === undefined) return undefined;
      const [one, ...rest] = lists.get(workspaceId)!;
      setList(workspaceId, rest);
      lastServed = workspaceId;
      return one;
    },
    remove: (one) => {
      const list = lists.get(one.workspaceId);
      if (!list?.includes(one)) return;
      const rest = list.filter((other) => other !== one);
      // In its place: who waits behind it loses no turn.
      if (rest.length > 0) lists.set(one.workspaceId, rest);
      else lists.delete(one.workspaceId);
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
