const MINUTE_MS = 60_000;
const KEYS_MAX = 10_000;

export type SaveKeyUses = (uses: ReadonlyMap<string, Date>) => Promise<void>;

type KeyUses = {
  record: (keyId: string) => void;
  /**
   * Saves the pending times of last use. Never rejects; times that could not be saved stay pending,
   * up to `KEYS_MAX` of them.
   */
  flush: () => Promise<void>;
};

/**
 * Tracks when each API key was last used, to the minute, so that it is written at most once a
 * minute.
 */
export const trackKeyUses = (deps: {
  save: SaveKeyUses;
  clock: () => number;
  onFailure: (error: unknown) => void;
}): KeyUses => {
  let minute = 0;
  const recorded = new Set<string>();
  let pending = new Map<string, Date>();
  let running = Promise.resolve();
  const restore = (uses: ReadonlyMap<string, Date>): void => {
    for (const [keyId, at] of uses) {
      if (!pending.has(keyId) && pending.size < KEYS_MAX) pending.set(keyId, at);
    }
  };
  const savePending = async (): Promise<void> => {
    if (pending.size === 0) return;
    const uses = pending;
    pending = new Map();
    try {
      await deps.save(uses);
    } catch (error) {
      restore(uses);
      deps.onFailure(error);
    }
  };
  return {
    record: (keyId) => {
      const current = Math.floor(deps.clock() / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        recorded.clear();
      }
      if (recorded.has(keyId) || recorded.size >= KEYS_MAX) return;
      recorded.add(keyId);
      pending.set(keyId, new Date(minute * MINUTE_MS));
    },
    // Flushes run one after another, so that the last flush before the process exits also waits for
    // one that is still running.
    flush: () => {
      running = running.then(savePending);
      return running;
    },
  };
};
