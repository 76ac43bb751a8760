const MINUTE_MS = 60_000;
/** Keys remembered of one minute; uses of more than these are noted in a later minute. */
const KEYS_MAX = 10_000;

/** Keeps the latest use of each key, by key id; rejects when it kept none. */
export type SaveKeyUses = (uses: ReadonlyMap<string, Date>) => Promise<void>;

/** Notes uses of keys in memory, and keeps them from time to time. */
export type KeyUses = {
  /** Cheap, and never fails: for every call. */
  note: (keyId: string) => void;
  /** Keeps what was noted since. Never rejects; what could not be kept stays for the next time. */
  flush: () => Promise<void>;
};

/**
 * Tracks when keys were last used, to the minute: a key is kept at most once for a minute, however
 * often it is used.
 */
export const trackKeyUses = (deps: {
  save: SaveKeyUses;
  clock: () => number;
  onFailure: (error: unknown) => void;
}): KeyUses => {
  let minute = 0;
  const noted = new Set<string>();
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
    note: (keyId) => {
      const current = Math.floor(deps.clock() / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        noted.clear();
      }
      if (noted.has(keyId) || noted.size >= KEYS_MAX) return;
      noted.add(keyId);
      pending.set(keyId, new Date(minute * MINUTE_MS));
    },
    // One at a time: who stops the service waits for the one that runs, too.
    flush: () => {
      running = running.then(savePending);
      return running;
    },
  };
};
