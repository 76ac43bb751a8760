import type { DebateEvent } from '../record/debate-event.ts';
import type { DebateDelta } from './open-debate-runner.ts';

/** Where who holds a debate tells those who follow it in the same process. */
export type DebateBoard = {
  /** The debate is held in this process until the returned function is called, while `isOurs`. */
  hold: (debateId: string, isOurs: () => boolean) => () => void;
  isHeld: (debateId: string) => boolean;
  /** These events were kept. */
  onKept: (debateId: string, events: readonly DebateEvent[]) => void;
  onDelta: (debateId: string, delta: DebateDelta) => void;
  /** Somebody here wants deltas. */
  isHeard: (debateId: string) => boolean;
  /** Until the returned function is called. */
  watch: (debateId: string, watcher: DebateWatcher) => () => void;
};

export type DebateWatcher = {
  onKept: (events: readonly DebateEvent[]) => void;
  /** Absent: it wants none. */
  onDelta?: ((delta: DebateDelta) => void) | undefined;
};

export const createDebateBoard = (): DebateBoard => {
  const watchers = new Map<string, Set<DebateWatcher>>();
  const watchersOf = (debateId: string): Iterable<DebateWatcher> => watchers.get(debateId) ?? [];
  /** By debate; a lease that was lost may come back before its first holder noticed. */
  const held = new Map<string, Set<() => boolean>>();
  return {
    hold: (debateId, isOurs) => {
      const all = held.get(debateId) ?? new Set();
      held.set(debateId, all.add(isOurs));
      return () => {
        all.delete(isOurs);
        if (all.size === 0) held.delete(debateId);
      };
    },
    isHeld: (debateId) => [...(held.get(debateId) ?? [])].some((isOurs) => isOurs()),
    onKept: (debateId, events) => {
      for (const { onKept } of watchersOf(debateId)) onKept(events);
    },
    onDelta: (debateId, delta) => {
      for (const { onDelta } of watchersOf(debateId)) onDelta?.(delta);
    },
    isHeard: (debateId) => [...watchersOf(debateId)].some(({ onDelta }) => onDelta),
    watch: (debateId, watcher) => {
      const all = watchers.get(debateId) ?? new Set();
      watchers.set(debateId, all.add(watcher));
      return () => {
        all.delete(watcher);
        if (all.size === 0) watchers.delete(debateId);
      };
    },
  };
};
