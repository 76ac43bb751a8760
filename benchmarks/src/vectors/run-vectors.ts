import { randomBytes } from 'node:crypto';
import { openStorage } from '@witan/agents/storage';
import type { Storage } from '@witan/agents/storage';
import { createLog, newId } from '@witan/service-kit';
import { createRandom } from '@witan/testing/create-random';
import type { Bench, BenchContext } from '../bench.ts';
import { ingestDocuments } from '../knowledge/ingest-documents.ts';
import type { Collection } from '../knowledge/ingest-documents.ts';
import { LOADS, makeQuery, measureSearches, pickWords } from '../knowledge/measure-searches.ts';
import { openKnowledgeTestbed } from '../knowledge/open-knowledge-testbed.ts';
import type { KnowledgeTestbed } from '../knowledge/open-knowledge-testbed.ts';
import { summarizeLatencies } from '../load/latency-summary.ts';
import { atLeast } from '../report/print-report.ts';
import { createDistributions } from './make-vectors.ts';
import type { Distribution } from './make-vectors.ts';

const WORKSPACE = 'ws_vectors';
const SEED = 11;
const LEASE_MS = 600_000;
const BATCH = 64;
const ORIGIN = 'bench/vectors';
/** Limits of the search of the service (`find-similar.ts`). */
const NEAREST = 2_048;
const TOP = 10;
const TIMEOUT_MS = 60_000;
/** Minimum recall for vectors that have neighbourhoods. */
const RECALL_AIM = 0.95;
const LOAD = LOADS.find(({ name }) => name === 'a question')!;

type Row = {
  chunks: number;
  distribution: string;
  /** Share of the ten nearest vectors of a full scan that the search by codes returns. */
  recall: number;
  scanMs: number;
  wordsMs: number;
  ratio: number;
};

/**
 * Compares the search among vectors by their signs with a full scan, and its time with that of a
 * search by terms among the same chunks.
 */
export const runVectors: Bench = async (context) => {
  const { preset, log, resources } = context;
  const testbed = await openKnowledgeTestbed(context);
  const storage = resources.use(await openBenchStorage(testbed));
  const collection = await createCollection(testbed);
  const rows: Row[] = [];
  let existing = 0;
  for (const chunks of preset.vectors.chunks) {
    await ingestDocuments(testbed, [collection], { chunks: chunks - existing, log });
    existing = chunks;
    for (const distribution of createDistributions(createRandom(SEED), chunks)) {
      const row = await measure(context, { testbed, storage, collection, distribution });
      rows.push(row);
      log(JSON.stringify(row));
    }
  }
  return {
    config: { nearest: NEAREST, top: TOP },
    rows,
    summary: { vectors: rows },
    tables: [toTable(rows)],
    checks: {},
    aims: rows
      .filter(({ distribution }) => distribution !== 'random')
      .map(({ chunks, distribution, recall }) =>
        atLeast(`recall@10 of ${distribution}, ${chunks} chunks`, '', RECALL_AIM, recall),
      ),
  };
};

const openBenchStorage = ({ postgres }: KnowledgeTestbed): Promise<Storage> =>
  openStorage(postgres.urls['agents']!, createLog({ service: 'agents', level: 'silent' }), {
    newId,
    clock: () => new Date(),
    secretsKey: randomBytes(32).toString('base64'),
  });

const createCollection = async ({ knowledge }: KnowledgeTestbed): Promise<Collection> => {
  const options = { workspaceId: WORKSPACE, timeoutMs: TIMEOUT_MS };
  const { source } = await knowledge.createSource({ name: 'Vectors' }, options);
  return { workspaceId: WORKSPACE, sourceId: source!.id, share: 1 };
};

type Measured = {
  testbed: KnowledgeTestbed;
  storage: Storage;
  collection: Collection;
  distribution: Distribution;
};

const measure = async (
  { preset, log }: BenchContext,
  { testbed, storage, collection, distribution }: Measured,
): Promise<Row> => {
  const { name } = distribution;
  const model = `${name}-${newId('run')}`;
  log(`embedding as ${name}`);
  const vectors = await embedAll(storage, { model, distribution });
  await testbed.database.query('VACUUM FULL ANALYZE agents.knowledge_vector');
  const random = createRandom(SEED + 1);
  const stored = [...vectors];
  const makeVectorQuery = (): Float16Array =>
    distribution.toQuery(stored[random.integer(0, stored.length - 1)]![1]);
  const words = await pickWords(testbed, collection);
  const sourceNo = await readSourceNo(testbed, collection);
  const { findNearest } = storage.vectorsOf(model);
  const scanSamplesMs: number[] = [];
  const wordsMs: number[] = [];
  let found = 0;
  // The first round warms up.
  for (let round = 0; round <= preset.rounds; round += 1) {
    const wordQueries = Array.from({ length: preset.vectors.queries }, () =>
      makeQuery(LOAD, words, random),
    );
    const byTerms = await measureSearches(testbed, collection, wordQueries);
    if (round > 0) wordsMs.push(byTerms.latencyMs.p50);
    for (let index = 0; index < preset.vectors.queries; index += 1) {
      const vector = makeVectorQuery();
      const startedAt = performance.now();
      const near = await findNearest(WORKSPACE, [sourceNo], {
        origin: ORIGIN,
        vector,
        limit: NEAREST,
      });
      const best = rank(vector, near.map((one) => [one.chunkId, one.vector] as const));
      if (round === 0) continue;
      scanSamplesMs.push(performance.now() - startedAt);
      const expected = new Set(rank(vector, vectors));
      found += best.filter((id) => expected.has(id)).length;
    }
  }
  const scanMs = summarizeLatencies(scanSamplesMs).p50;
  const wordsP50 = wordsMs.toSorted((a, b) => a - b)[Math.floor(wordsMs.length / 2)]!;
  const recall = found / (TOP * scanSamplesMs.length);
  const ratio = scanMs / wordsP50;
  return { chunks: vectors.size, distribution: name, recall, scanMs, wordsMs: wordsP50, ratio };
};

/** Gives all chunks a vector, through the queue that the service uses. */
const embedAll = async (
  storage: Storage,
  { model, distribution }: { model: string; distribution: Distribution },
): Promise<Map<string, Float16Array>> => {
  const { queue, stale } = storage.vectorsOf(model);
  while ((await stale.reset()) > 0);
  const vectors = new Map<string, Float16Array>();
  for (;;) {
    const leased = await queue.claim({ leaseMs: LEASE_MS, after: '', without: [] });
    if (!leased) return vectors;
    for (let after = ''; ;) {
      const { chunks: found } = await queue.nextChunks(leased, { after, limit: BATCH });
      if (found.length === 0) break;
      const chunks = found.map(({ id }) => ({ id, vector: distribution.next() }));
      for (const { id, vector } of chunks) vectors.set(id, vector);
      await queue.save(leased, { origin: ORIGIN, chunks, leaseMs: LEASE_MS });
      after = found.at(-1)!.id;
    }
    await queue.finish(leased, { hasFailed: false });
  }
};

/** Returns the ids of the vectors with the highest cosine. */
const rank = (
  query: Float16Array,
  vectors: Iterable<readonly [string, Float16Array]>,
): string[] => {
  const best: { id: string; cosine: number }[] = [];
  for (const [id, vector] of vectors) {
    let cosine = 0;
    for (let index = 0; index < vector.length; index += 1) cosine += vector[index]! * query[index]!;
    if (best.length === TOP && cosine <= best[TOP - 1]!.cosine) continue;
    if (best.length === TOP) best.pop();
    best.push({ id, cosine });
    best.sort((a, b) => b.cosine - a.cosine);
  }
  return best.map(({ id }) => id);
};

const readSourceNo = async (
  { database }: KnowledgeTestbed,
  { sourceId }: Collection,
): Promise<number> => {
  const { rows } = await database.query<{ no: number }>(
    'SELECT no FROM agents.knowledge_source WHERE id = $1',
    [sourceId],
  );
  return rows[0]!.no;
};

const toTable = (rows: readonly Row[]): BenchTable => ({
  title: 'search among vectors of 1,536 numbers; p50 in ms',
  headings: ['chunks', 'vectors', 'recall@10', 'vectors', 'terms', 'ratio'],
  rows: rows.map(({ chunks, distribution, recall, scanMs, wordsMs, ratio }) => [
    String(chunks),
    distribution,
    recall.toFixed(3),
    scanMs.toFixed(1),
    wordsMs.toFixed(1),
    ratio.toFixed(2),
  ]),
});

type BenchTable = Awaited<ReturnType<Bench>>['tables'][number];
