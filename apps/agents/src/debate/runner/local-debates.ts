/** The debates that run in this process, and the watchers of debates. */
export type LocalDebates = {
  /**
   * Registers a debate that runs in this process and returns a function that removes it again. The
   * debate counts as running only while `isLeaseValid` returns true.
   */
  register: (debateId: string, isLeaseValid: () => boolean) => () => void;
  isRunning: (debateId: string) => boolean;
  onStored: (debateId: string) => void;
  onDelta: (debateId: string, delta: DebateDelta) => void;
  hasListeners: (debateId: string) => boolean;
  watch: (debateId: string, watcher: DebateWatcher) => () => void;
};

export type DebateWatcher = {
  onStored: () => void;
  onDelta?: ((delta: DebateDelta) => void) | undefined;
};

export const createLocalDebates = (): LocalDebates => {
  const watchers = new Map<string, Set<DebateWatcher>>();
  const watchersOf = (debateId: string): Iterable<DebateWatcher> => watchers.get(debateId) ?? [];
  /**
   * Lease checks by debate id. A debate has several if its lease was lost and acquired again in
   * this process before the first runner noticed the loss.
   */
  const leases = new Map<string, Set<() => boolean>>();
  return {
    register: (debateId, isLeaseValid) => {
      const checks = leases.get(debateId) ?? new Set();
      leases.set(debateId, checks.add(isLeaseValid));
      return () => {
        checks.delete(isLeaseValid);
        if (checks.size === 0) leases.delete(debateId);
      };
    },
    isRunning: (debateId) =>
      [...(leases.get(debateId) ?? [])].some((isLeaseValid) => isLeaseValid()),
    onStored: (debateId) => {
      for (const { onStored } of watchersOf(debateId)) onStored();
    },
    onDelta: (debateId, delta) => {
      for (const { onDelta } of watchersOf(debateId)) onDelta?.(delta);
    },
    hasListeners: (debateId) => [...watchersOf(debateId)].some(({ onDelta }) => onDelta),
    watch: (debateId, watcher) => {
      const watching = watchers.get(debateId) ?? new Set();
      watchers.set(debateId, watching.add(watcher));
      return () => {
        watching.delete(watcher);
        if (watching.size === 0) watchers.delete(debateId);
      };
    },
  };
};

export type DebateDelta = { roundNumber: number; agentId: string; text: string };
