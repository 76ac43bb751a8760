import { describe, expect, it } from '@jest/globals';
import type { StoredKey } from '../authenticate.ts';
import { createKeyCache } from './key-directory.ts';

const TTL_MS = 3_000;

const KEY: StoredKey = {
  keyId: 'key_1',
  workspaceId: 'ws_1',
  userId: 'usr_1',
  scopes: [],
  secretHash: new Uint8Array(32),
  expiresAt: null,
  revokedAt: null,
};

const open = () => {
  const fakes = { now: 1_000, reads: 0, stored: KEY as StoredKey | undefined };
  const find = createKeyCache(
    async () => {
      fakes.reads += 1;
      return fakes.stored;
    },
    () => fakes.now,
  );
  return { fakes, find };
};

describe('the key cache', () => {
  it('reads a key once until it expires', async () => {
    const { fakes, find } = open();
    expect(await find('a')).toBe(KEY);
    fakes.now += TTL_MS - 1;
    // It is there at once, without a promise.
    expect(find('a')).toBe(KEY);
    expect(fakes.reads).toBe(1);
  });

  it('applies a revocation as soon as the entry expires', async () => {
    const { fakes, find } = open();
    await find('a');
    fakes.stored = { ...KEY, revokedAt: new Date(0) };
    fakes.now += TTL_MS;
    expect((await find('a'))?.revokedAt).not.toBeNull();
    expect(fakes.reads).toBe(2);
  });

  it('measures the expiry from before the read, so a slow read does not prolong it', async () => {
    const fakes = { now: 0 };
    const answer = Promise.withResolvers<StoredKey>();
    let reads = 0;
    const find = createKeyCache(
      () => {
        reads += 1;
        return answer.promise;
      },
      () => fakes.now,
    );
    const first = find('a');
    fakes.now = TTL_MS;
    answer.resolve(KEY);
    await first;
    await find('a');
    expect(reads).toBe(2);
  });

  it('shares one read among concurrent calls', async () => {
    const { fakes, find } = open();
    const found = await Promise.all(Array.from({ length: 50 }, async () => find('a')));
    expect(new Set(found)).toEqual(new Set([KEY]));
    expect(fakes.reads).toBe(1);
  });

  it('does not cache unknown keys', async () => {
    const { fakes, find } = open();
    fakes.stored = undefined;
    expect(await find('a')).toBeUndefined();
    fakes.stored = KEY;
    expect(await find('a')).toBe(KEY);
  });

  it('reads again after a failed read, which rejects all concurrent calls', async () => {
    let mustFail = true;
    const find = createKeyCache(
      async () => {
        if (mustFail) throw new Error('database down');
        return KEY;
      },
      () => 0,
    );
    const burst = await Promise.allSettled([find('a'), find('a')]);
    expect(burst.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    mustFail = false;
    expect(await find('a')).toBe(KEY);
  });

  it('caches keys separately', async () => {
    const find = createKeyCache(
      async (keyId) => ({ ...KEY, keyId }),
      () => 0,
    );
    expect((await find('a'))?.keyId).toBe('a');
    expect((await find('b'))?.keyId).toBe('b');
    expect((await find('a'))?.keyId).toBe('a');
  });

  it('caches 10,000 keys and evicts the oldest', async () => {
    const { fakes, find } = open();
    for (let number = 0; number <= 10_000; number += 1) await find(`key${number}`);
    const before = fakes.reads;
    await find('key10000');
    expect(fakes.reads).toBe(before);
    await find('key0');
    expect(fakes.reads).toBe(before + 1);
  });
});
