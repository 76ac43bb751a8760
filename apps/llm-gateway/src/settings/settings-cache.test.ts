import { describe, expect, it } from '@jest/globals';
import { createSettingsCache } from './settings-cache.ts';
import { NO_SETTINGS } from '../provider/workspace-models.ts';
import type { WorkspaceModels } from '../provider/workspace-models.ts';

const TTL_MS = 3_000;

const models = (): WorkspaceModels => ({ ...NO_SETTINGS, providers: new Map() });

const open = (maxEntries = 10) => {
  const reads: { workspaceId: string; end: PromiseWithResolvers<WorkspaceModels> }[] = [];
  const failures: unknown[] = [];
  let now = 0;
  const cache = createSettingsCache(
    (workspaceId) => {
      const end = Promise.withResolvers<WorkspaceModels>();
      reads.push({ workspaceId, end });
      return end.promise;
    },
    {
      ttlMs: TTL_MS,
      clock: () => now,
      maxEntries,
      onFailure: (_workspaceId, error) => failures.push(error),
    },
  );
  const fillCache = async (workspaceId: string): Promise<WorkspaceModels> => {
    const result = cache.get(workspaceId);
    const read = models();
    reads.at(-1)!.end.resolve(read);
    expect(await result).toBe(read);
    return read;
  };
  return { cache, reads, failures, fillCache, advance: (ms: number) => void (now += ms) };
};

describe('a settings cache', () => {
  it('returns models without a promise while they are fresh', async () => {
    const { cache, reads, fillCache, advance } = open();
    const cached = await fillCache('ws_a');
    advance(TTL_MS - 1);
    expect(cache.get('ws_a')).toBe(cached);
    expect(reads).toHaveLength(1);
  });

  it('reads again after the TTL, counted from the start of the read', async () => {
    const { cache, reads, advance } = open();
    const result = cache.get('ws_a');
    advance(TTL_MS);
    reads[0]!.end.resolve(models());
    await result;
    const later = cache.get('ws_a');
    expect(later).toBeInstanceOf(Promise);
    expect(reads).toHaveLength(2);
  });

  it('shares one read between concurrent calls', async () => {
    const { cache, reads } = open();
    const results = ['ws_a', 'ws_a', 'ws_b'].map(async (id) => cache.get(id));
    expect(reads.map(({ workspaceId }) => workspaceId)).toEqual(['ws_a', 'ws_b']);
    const [a, b] = [models(), models()];
    reads[0]!.end.resolve(a);
    reads[1]!.end.resolve(b);
    const [first, second, other] = await Promise.all(results);
    expect([first === a, second === a, other === b]).toEqual([true, true, true]);
  });

  it('keeps cached models while reading fails, reports the failure, and retries later', async () => {
    const { cache, reads, failures, fillCache, advance } = open();
    const cached = await fillCache('ws_a');
    advance(TTL_MS);
    const result = cache.get('ws_a');
    reads[1]!.end.reject(new Error('down'));
    expect(await result).toBe(cached);
    expect(failures).toEqual([new Error('down')]);
    expect(cache.get('ws_a')).toBe(cached);
    advance(TTL_MS);
    expect(await fillCache('ws_a')).not.toBe(cached);
  });

  it('is unavailable without cached models when reading fails', async () => {
    const { cache, reads, failures, fillCache } = open();
    const result = cache.get('ws_a');
    reads[0]!.end.reject(new Error('down'));
    await expect(result).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(failures).toHaveLength(1);
    await fillCache('ws_a');
  });

  it('treats a read that throws synchronously as failed', async () => {
    const cache = createSettingsCache(
      () => {
        throw new Error('no such id');
      },
      { ttlMs: TTL_MS, clock: () => 0, maxEntries: 1, onFailure: () => {} },
    );
    await expect(cache.get('ws a')).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('reads again after an invalidation, and does not cache an earlier read', async () => {
    const { cache, reads, fillCache } = open();
    const firstRead = cache.get('ws_a');
    cache.invalidate('ws_a');
    const newRead = fillCache('ws_a');
    reads[0]!.end.resolve(models());
    await firstRead;
    expect(cache.get('ws_a')).toBe(await newRead);
    expect(reads).toHaveLength(2);
  });

  it('does not fall back to invalidated models', async () => {
    const { cache, reads, fillCache } = open();
    await fillCache('ws_a');
    cache.invalidate('ws_a');
    const result = cache.get('ws_a');
    reads[1]!.end.reject(new Error('down'));
    await expect(result).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('evicts workspaces beyond its limit', async () => {
    const { cache, reads, fillCache } = open(2);
    for (const workspaceId of ['ws_a', 'ws_b', 'ws_c']) await fillCache(workspaceId);
    expect(cache.get('ws_b')).not.toBeInstanceOf(Promise);
    expect(cache.get('ws_a')).toBeInstanceOf(Promise);
    expect(reads).toHaveLength(4);
  });
});
