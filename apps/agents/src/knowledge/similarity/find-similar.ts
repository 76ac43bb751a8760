import { createHash } from 'node:crypto';
import type { Embedding, EmbedTexts } from './embedding.ts';
import { toCosine } from './unit-vector.ts';
import type { UnitVector } from './unit-vector.ts';

export type NearVector = { chunkId: string; vector: UnitVector };

/** Returns the vectors of the sources that probably are the nearest to the query, unordered. */
export type FindNearest = (
  workspaceId: string,
  sourceNos: readonly number[],
  query: { origin: string; vector: UnitVector; limit: number },
) => Promise<NearVector[]>;

/**
 * Returns ids of chunks by the similarity of their texts to the query, best first; none if the
 * query cannot be embedded or its vector not be compared. Never rejects, because a search has a
 * result without them.
 */
export type FindSimilar = (
  workspaceId: string,
  text: string,
  sourceNos: readonly number[],
) => Promise<string[]>;

export type FindSimilarDeps = {
  embed: EmbedTexts;
  findNearest: FindNearest;
  onFailure: (error: unknown, workspaceId: string) => void;
};

/** A search that waits longer for the vector of its query goes on without it. */
const QUERY_TIMEOUT_MS = 2_000;
/**
 * Number of vectors that are compared exactly: all of them, if the searched sources have no more,
 * else those whose signs are nearest.
 */
const NEAREST = 2_048;
const SIMILAR_MAX = 64;

export const createFindSimilar = ({
  embed,
  findNearest,
  onFailure,
}: FindSimilarDeps): FindSimilar => {
  const embedQuery = shareCalls(embed);
  const find: FindSimilar = async (workspaceId, text, sourceNos) => {
    const { origin, vectors } = await embedQuery(workspaceId, text);
    const vector = vectors[0]!;
    const near = await findNearest(workspaceId, sourceNos, { origin, vector, limit: NEAREST });
    // 16-bit floats take twice the time of 32-bit ones to read.
    const query = Float32Array.from(vector);
    return near
      .map((one) => ({ id: one.chunkId, cosine: toCosine(one.vector, query) }))
      .filter(({ cosine }) => cosine > 0)
      .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
      .slice(0, SIMILAR_MAX)
      .map(({ id }) => id);
  };
  return (workspaceId, text, sourceNos) =>
    find(workspaceId, text, sourceNos).catch((error: unknown) => {
      onFailure(error, workspaceId);
      return [];
    });
};

/**
 * Returns a function that embeds a query. Concurrent equal queries of a workspace share one call:
 * all members of a debate search for its question at once.
 */
const shareCalls = (embed: EmbedTexts) => {
  const running = new Map<string, Promise<Embedding>>();
  return (workspaceId: string, text: string): Promise<Embedding> => {
    const key = createHash('sha256').update(`${workspaceId}\0${text}`).digest('hex');
    let call = running.get(key);
    if (!call) {
      call = embed(workspaceId, [text], { timeoutMs: QUERY_TIMEOUT_MS }).finally(() =>
        running.delete(key),
      );
      running.set(key, call);
    }
    return call;
  };
};
