const CACHE_MAX = 10_000;

/**
 * Caches the API keys or sessions that `findKey` finds for `ttlMs`, so a revocation takes effect
 * within that time. Unknown ones are not cached. Concurrent calls with one key share one database
 * read.
 */
export const createKeyCache = <K>(
  findKey: (keyId: string) => Promise<K | undefined>,
  options: { ttlMs: number; clock: () => number },
): ((keyId: string) => Promise<K | undefined>) => {
  const known = new Map<string, { key: K; until: number }>();
  const reading = new Map<string, Promise<K | undefined>>();

  const read = async (keyId: string): Promise<K | undefined> => {
    try {
      const startedAt = options.clock();
      const key = await findKey(keyId);
      known.delete(keyId);
      if (key) known.set(keyId, { key, until: startedAt + options.ttlMs });
      if (known.size > CACHE_MAX) known.delete(known.keys().next().value!);
      return key;
    } finally {
      reading.delete(keyId);
    }
  };
  return (keyId) => {
    const entry = known.get(keyId);
    if (entry && entry.until > options.clock()) return Promise.resolve(entry.key);
    const running = reading.get(keyId) ?? read(keyId);
    reading.set(keyId, running);
    return running;
  };
};
