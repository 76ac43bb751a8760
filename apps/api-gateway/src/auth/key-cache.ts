import type { StoredKey } from './authenticate.ts';

type Entry = { key: StoredKey; until: number };

const CACHE_MAX = 10_000;

/**
 * Caches the API keys that `findKey` finds for `ttlMs`, so a revocation takes effect within that
 * time. Unknown keys are not cached. Concurrent calls with one key share one database read.
 */
export const createKeyCache = (
  findKey: (keyId: string) => Promise<StoredKey | undefined>,
  options: { ttlMs: number; clock: () => number },
): ((keyId: string) => Promise<StoredKey | undefined>) => {
  const known = new Map<string, Entry>();
  const reading = new Map<string, Promise<StoredKey | undefined>>();

  const read = async (keyId: string): Promise<StoredKey | undefined> => {
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
