import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRandom } from '@witan/testing/create-random';
import { toUnitVector } from '../src/knowledge/similarity/unit-vector.ts';
import type { UnitVector } from '../src/knowledge/similarity/unit-vector.ts';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';

const MODEL = 'text-embedding-test';
const ORIGIN = 'test/one';
const CHUNKS = 4_096;
const DIMENSIONS = 64;
const NEAREST = 256;
const BATCH = 64;
const QUERIES = 20;
const TOP = 10;

/** Vectors of one model share most of their length, as those of real embedding models do. */
const makeVectors = (count: number, seed: number): UnitVector[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () =>
    toUnitVector(
      Array.from({ length: DIMENSIONS }, (_, index) => 3 * Math.sin(index) + random.next()),
    )!,
  );
};

const toCosine = (one: UnitVector, other: UnitVector): number =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0);

const pickNearest = (query: UnitVector, vectors: ReadonlyMap<string, UnitVector>): string[] =>
  [...vectors]
    .map(([id, vector]) => ({ id, cosine: toCosine(query, vector) }))
    .toSorted((a, b) => b.cosine - a.cosine)
    .slice(0, TOP)
    .map(({ id }) => id);

describe('vectors that share a direction', () => {
  let test: TestStorage;
  const vectors = new Map<string, UnitVector>();
  let sourceNo = 0;

  beforeAll(async () => {
    test = await openTestStorage();
    const [source] = await test.query<{ no: number }>(
      `INSERT INTO knowledge_source (id, workspace_id, name, description)
       VALUES ('src_1', 'ws_1', 'Shelf', '') RETURNING no`,
    );
    sourceNo = source!.no;
    for (const id of ['doc_1', 'doc_2']) await addDocument(id, CHUNKS / 2);
    // Two workers save at once, across the number of vectors of which the mean is made.
    await Promise.all([embedNext(1), embedNext(2)]);
  });
  afterAll(async () => {
    await test[Symbol.asyncDispose]();
  });

  const addDocument = async (id: string, chunks: number): Promise<void> => {
    await test.query(
      `INSERT INTO knowledge_document (id, workspace_id, source_id, title, media_type, status, size)
       VALUES ($1, 'ws_1', 'src_1', 'A', 'text/plain', 'ready', 1)`,
      [id],
    );
    await test.query(
      `INSERT INTO knowledge_chunk (id, workspace_id, source_id, document_id, text)
       SELECT $1 || '_' || n, 'ws_1', 'src_1', $1, 'x' FROM generate_series(1, $2::integer) AS n`,
      [id, chunks],
    );
  };
  const embedNext = async (seed: number): Promise<void> => {
    const { queue } = test.storage.vectorsOf(MODEL);
    const leased = (await queue.claim({ leaseMs: 60_000, after: '', without: [] }))!;
    const made = makeVectors(CHUNKS / 2, seed);
    for (let after = ''; ;) {
      const { chunks } = await queue.nextChunks(leased, { after, limit: BATCH });
      if (chunks.length === 0) break;
      const embedded = chunks.map(({ id }) => ({ id, vector: made.pop()! }));
      for (const { id, vector } of embedded) vectors.set(id, vector);
      await queue.save(leased, { origin: ORIGIN, chunks: embedded, leaseMs: 60_000 });
      after = chunks.at(-1)!.id;
    }
  };

  it('are found by the signs around their mean', async () => {
    expect(vectors.size).toBe(CHUNKS);
    const { findNearest } = test.storage.vectorsOf(MODEL);
    let found = 0;
    for (const vector of makeVectors(QUERIES, 3)) {
      const near = await findNearest('ws_1', [sourceNo], {
        origin: ORIGIN,
        vector,
        limit: NEAREST,
      });
      const ids = new Set(near.map(({ chunkId }) => chunkId));
      expect(ids.size).toBe(NEAREST);
      found += pickNearest(vector, vectors).filter((id) => ids.has(id)).length;
    }
    // By the signs of the vectors themselves it is 0.13. The order in which the two workers save
    // decides of which vectors the mean is, and so whether it is 0.8 or a little more.
    expect(found / (QUERIES * TOP)).toBeGreaterThanOrEqual(0.8);
  });

  it('have codes around one mean, whenever they were saved', async () => {
    const [counts] = await test.query<{ saved: number; means: number; ones: number }>(
      `SELECT (SELECT saved FROM knowledge_vector_space) AS saved,
         (SELECT count(mean)::integer FROM knowledge_vector_space) AS means,
         (SELECT avg(bit_count(code))::float FROM knowledge_vector) AS ones`,
    );
    expect(counts).toMatchObject({ saved: CHUNKS, means: 1 });
    expect(counts!.ones).toBeGreaterThan(0.4 * DIMENSIONS);
    expect(counts!.ones).toBeLessThan(0.6 * DIMENSIONS);
    const unevenBits = await test.query(
      `SELECT bit FROM generate_series(0, ${DIMENSIONS - 1}) AS bit
       WHERE (SELECT avg(get_bit(code, bit)) FROM knowledge_vector) NOT BETWEEN 0.3 AND 0.7`,
    );
    expect(unevenBits).toEqual([]);
  });
});
