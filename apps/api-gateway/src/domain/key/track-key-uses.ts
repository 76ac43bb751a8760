const MINUTE_MS = 60_000;
const KEYS_MAX = 10_000;

export type SaveKeyUses = (uses: ReadonlyMap<string, Date>) => Promise<void>;

export type KeyUses = {
  record: (keyId: string) => void;
  /** Saves all pending uses. Never rejects; failed uses stay pending. */
  flush: () => Promise<void>;
};

/** Tracks when keys were last used, to the minute; each key is written at most once a minute. */
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
    // Flushes are serialized, so that a final one also waits for the running one.
    flush: () => {
      running = running.then(savePending);
      return running;
    },
  };
};
