import { describe, expect, it } from '@jest/globals';
import type { Embedding } from './embedding.ts';
import { createFindSimilar } from './find-similar.ts';
import type { NearVector } from './find-similar.ts';
import { toUnitVector } from './unit-vector.ts';

const embeddingOf = (...numbers: number[]): Embedding => ({
  origin: 'fake/one',
  vectors: [toUnitVector(numbers)!],
});
const nearOf = (chunkId: string, ...numbers: number[]): NearVector => ({
  chunkId,
  vector: toUnitVector(numbers)!,
});

describe('createFindSimilar', () => {
  it('ranks by cosine, then by id, and omits chunks that are not similar', async () => {
    const near = [
      nearOf('c', 1, 1),
      nearOf('opposite', -1, 0),
      nearOf('b', 1, 1),
      nearOf('a', 1, 0.1),
      nearOf('orthogonal', 0, 1),
    ];
    const findSimilar = createFindSimilar({
      embed: async () => embeddingOf(1, 0),
      findNearest: async () => near,
      onFailure: () => {},
    });
    expect(await findSimilar('ws_1', 'q', [1])).toEqual(['a', 'b', 'c']);
  });

  it('shares one call among concurrent equal queries of a workspace', async () => {
    const { promise, resolve } = Promise.withResolvers<Embedding>();
    const calls: string[] = [];
    const findSimilar = createFindSimilar({
      embed: (workspaceId, [text]) => {
        calls.push(`${workspaceId} ${text}`);
        return promise;
      },
      findNearest: async () => [nearOf('a', 1)],
      onFailure: () => {},
    });
    const searches = [
      findSimilar('ws_1', 'q', [1]),
      findSimilar('ws_1', 'q', [2]),
      findSimilar('ws_2', 'q', [3]),
    ];
    resolve(embeddingOf(1));
    expect(await Promise.all(searches)).toEqual([['a'], ['a'], ['a']]);
    expect(calls).toEqual(['ws_1 q', 'ws_2 q']);
    await findSimilar('ws_1', 'q', [1]);
    expect(calls).toHaveLength(3);
  });

  it('finds nothing, and reports it, if the query cannot be embedded', async () => {
    const failures: unknown[] = [];
    const findSimilar = createFindSimilar({
      embed: async () => {
        throw new Error('away');
      },
      findNearest: async () => [nearOf('a', 1)],
      onFailure: (error, workspaceId) => failures.push([String(error), workspaceId]),
    });
    expect(await findSimilar('ws_1', 'q', [1])).toEqual([]);
    expect(failures).toEqual([['Error: away', 'ws_1']]);
  });

  it('finds nothing, and reports it, if the vectors cannot be searched', async () => {
    const failures: unknown[] = [];
    const findSimilar = createFindSimilar({
      embed: async () => embeddingOf(1),
      findNearest: async () => {
        throw new Error('canceling statement due to statement timeout');
      },
      onFailure: (error, workspaceId) => failures.push([String(error), workspaceId]),
    });
    expect(await findSimilar('ws_1', 'q', [1])).toEqual([]);
    expect(failures).toEqual([['Error: canceling statement due to statement timeout', 'ws_1']]);
  });
});
