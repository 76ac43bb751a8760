import type { DebateDelta } from './open-debate-runner.ts';

/** Where who holds a debate tells those who follow it in the same process. */
export type DebateBoard = {
  /** Something of the debate was kept. */
  onKept: (debateId: string) => void;
  onDelta: (debateId: string, delta: DebateDelta) => void;
  /** Until the returned function is called. */
  watch: (debateId: string, watcher: DebateWatcher) => () => void;
};

export type DebateWatcher = { onKept: () => void; onDelta: (delta: DebateDelta) => void };

export const createDebateBoard = (): DebateBoard => {
  const watchers = new Map<string, Set<DebateWatcher>>();
  const watchersOf = (debateId: string): Iterable<DebateWatcher> => watchers.get(debateId) ?? [];
  return {
    onKept: (debateId) => {
      for (const { onKept } of watchersOf(debateId)) onKept();
    },
    onDelta: (debateId, delta) => {
      for (const { onDelta } of watchersOf(debateId)) onDelta(delta);
    },
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
