import { describe, expect, it } from '@jest/globals';
import { splitEntries } from '@witan/proof/tlog/entry-bundle';
import { createPublishedCache, PUBLISHED_MAX_AGE_MS, readPublicTile } from './public-tiles.ts';

/** A published checkpoint of a size that a test sets, a clock that it moves, and their cache. */
const open = () => {
  const state = {
    size: 1 as number | undefined,
    reads: 0,
    now: 0,
    error: undefined as Error | undefined,
  };
  const read = async () => {
    state.reads += 1;
    if (state.error) throw state.error;
    const { size } = state;
    return size === undefined ? undefined : { size, note: `note ${size}`, at: new Date(0) };
  };
  return { state, cache: createPublishedCache(read, () => state.now) };
};

describe('the published checkpoint for the public', () => {
  it('is read once in its maximum age', async () => {
    const { state, cache } = open();
    await Promise.all([cache.find(), cache.find(), cache.findNewest()]);
    state.size = 2;
    state.now = PUBLISHED_MAX_AGE_MS - 1;
    expect([(await cache.find())?.size, state.reads]).toEqual([1, 1]);
    state.now = PUBLISHED_MAX_AGE_MS;
    expect([(await cache.find())?.size, state.reads]).toEqual([2, 2]);
  });

  it('is read again if the clock was set back', async () => {
    const { state, cache } = open();
    await cache.find();
    state.size = 2;
    state.now = -1;
    expect((await cache.find())?.size).toBe(2);
  });

  it('is read again until there is one', async () => {
    const { state, cache } = open();
    state.size = undefined;
    expect(await cache.find()).toBeUndefined();
    state.size = 1;
    expect((await cache.find())?.size).toBe(1);
  });

  it('is read again after an error', async () => {
    const { state, cache } = open();
    state.error = new Error('no connection');
    await expect(cache.find()).rejects.toThrow('no connection');
    state.error = undefined;
    expect((await cache.find())?.size).toBe(1);
  });
});

describe('a public tile', () => {
  const tiles = {
    findTile: async () => undefined,
    readEntries: async (first: number, last: number) =>
      Array.from({ length: last - first }, (_, i) => Buffer.from(`entry ${first + i}`)),
  };
  const tileOf = (width: number) => ({ level: 'entries' as const, n: 0, width });

  it('is found although another replica has just published it', async () => {
    const { state, cache } = open();
    await cache.find();
    state.size = 2;
    const bytes = (await readPublicTile(cache, tiles, tileOf(2)))!;
    expect(splitEntries(bytes).map((entry) => Buffer.from(entry).toString())).toEqual([
      'entry 0',
      'entry 1',
    ]);
    expect(state.reads).toBe(2);
  });

  it('of the known checkpoint needs no other read of it; one beyond it is not found', async () => {
    const { state, cache } = open();
    await cache.find();
    expect(await readPublicTile(cache, tiles, tileOf(1))).toBeDefined();
    expect(state.reads).toBe(1);
    expect(await readPublicTile(cache, tiles, tileOf(3))).toBeUndefined();
  });
});
