import type { Bench } from '../bench.ts';
import { readPostgresSettings } from '../database.ts';
import { atLeast, atMost } from '../report/print-report.ts';
import type { Aim, Table } from '../report/print-report.ts';
import { medianRows } from '../report/summarize-rows.ts';
import { createCollections, ingestDocuments } from './ingest-documents.ts';
import type { IngestionTotals, Collection } from './ingest-documents.ts';
import { createRandom } from '@witan/testing/create-random';
import { LOADS, makeQuery, measureBare, measureSearches, pickWords } from './measure-searches.ts';
import type { SearchRow } from './measure-searches.ts';
import { openKnowledgeTestbed } from './open-knowledge-testbed.ts';
import type { KnowledgeTestbed } from './open-knowledge-testbed.ts';

/**
 * Maximum p95 latency in milliseconds of searches for rare terms; COMMON_AIM_MS is the maximum for
 * middling and common terms.
 */
const RARE_AIM_MS = 50;
const COMMON_AIM_MS = 250;
/** Minimum megabytes of text that two callers ingest per second. */
const INGESTION_AIM = 0.5;
const SEED = 7;

type SummaryRow = Pick<SearchRow, 'system' | 'load' | 'workspaceId'> & { p50: number; p95: number };

/**
 * Ingests documents through the service and measures searches for rare, middling and common terms
 * in workspaces of different sizes, compared with a bare SQL query.
 */
export const runKnowledge: Bench = async (context) => {
  const { preset, log } = context;
  const { chunks, searches } = preset.knowledge;
  log('starting PostgreSQL and agents');
  const testbed = await openKnowledgeTestbed(context);
  const collections = await createCollections(testbed);
  log(`taking in ${chunks} chunks`);
  const totals = await ingestDocuments(testbed, collections, { chunks, log });
  await testbed.database.query('VACUUM ANALYZE');
  const rows: SearchRow[] = [];
  const sizes: Record<string, number> = {};
  for (const collection of collections) {
    const words = await pickWords(testbed, collection);
    sizes[collection.workspaceId] = words.chunks;
    for (const load of LOADS) {
      const random = createRandom(SEED);
      const makeNextQuery = (): string[] => makeQuery(load, words, random);
      await measureSearches(
        testbed,
        collection,
        Array.from({ length: searches / 5 }, makeNextQuery),
      );
      for (let round = 1; round <= preset.rounds; round += 1) {
        const queries = Array.from({ length: searches }, makeNextQuery);
        const rowName = { load: load.name, workspaceId: collection.workspaceId, round, searches };
        const bare = await measureBare(testbed, collection, queries);
        rows.push({ system: 'bare', ...rowName, ...bare });
        const found = await measureSearches(testbed, collection, queries);
        rows.push({ system: 'search', ...rowName, ...found });
      }
      log(`${collection.workspaceId}: ${load.name}: ${describeRow(rows.at(-1)!)}`);
    }
  }
  const summary = summarize(rows);
  const bytes = await readSizes(testbed);
  return {
    config: { collections: sizes, postgres: await readPostgresSettings(testbed.postgres.adminUrl) },
    rows,
    summary: { filling: totals, bytes, searches: summary },
    tables: [toSearchTable(summary), toSizeTable(totals, bytes)],
    checks: { foundItself: await checkFound(testbed, collections) },
    aims: judge(totals, summary),
  };
};

const describeRow = ({ latencyMs: { p50, p95 } }: SearchRow): string =>
  `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;

const summarize = (rows: readonly SearchRow[]): SummaryRow[] =>
  medianRows(rows, (row) => `${row.workspaceId} ${row.load} ${row.system}`).map(
    ({ system, load, workspaceId, latencyMs: { p50, p95 } }) => ({
      system,
      load,
      workspaceId,
      p50,
      p95,
    }),
  );

const RELATIONS = [
  'knowledge_chunk',
  'knowledge_entry',
  'knowledge_base',
  'knowledge_entry_search',
];

/**
 * Returns the sizes of tables and of the GIN index. A table's size includes TOAST and indexes, so
 * `knowledge_entry` includes its GIN index.
 */
const readSizes = async ({ database }: KnowledgeTestbed): Promise<Record<string, number>> => {
  const { rows } = await database.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
     WHERE relname = ANY ($1) AND relnamespace = 'agents'::regnamespace`,
    [RELATIONS],
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
};

/**
 * Number of chunks that are checked: a search for some of a chunk's terms should find the chunk.
 */
const CHECKED_CHUNKS = 100;
const WORDS_PER_CHECK = 5;
const TIMEOUT_MS = 60_000;

/**
 * Returns how many of the checked chunks are among the first ten results for five of their terms.
 */
const checkFound = async (
  testbed: KnowledgeTestbed,
  collections: readonly Collection[],
): Promise<string> => {
  const { workspaceId, sourceId } = collections[0]!;
  const { rows } = await testbed.database.query<{ id: string; text: string }>(
    'SELECT id, text FROM agents.knowledge_chunk WHERE source_id = $1 ORDER BY md5(id) LIMIT $2',
    [sourceId, CHECKED_CHUNKS],
  );
  const random = createRandom(SEED);
  let found = 0;
  for (const { id, text } of rows) {
    const words = [...new Set(text.match(/[a-z]+/g))];
    const queryWords = Array.from(
      { length: WORDS_PER_CHECK },
      () => words[Math.floor(random.next() * words.length)]!,
    );
    const request = { query: queryWords.join(' '), limit: 10 };
    const options = { workspaceId, timeoutMs: TIMEOUT_MS };
    const { passages } = await testbed.knowledge.search(request, options);
    if (passages.some(({ chunkId }) => chunkId === id)) found += 1;
  }
  return `${found} of ${rows.length}`;
};

const toSearchTable = (rows: readonly SummaryRow[]): Table => ({
  title: 'searches one after the other; medians of rounds, in ms',
  headings: ['workspace', 'load', 'system', 'p50', 'p95'],
  rows: rows.map(({ workspaceId, load, system, p50, p95 }) => [
    workspaceId,
    load,
    system,
    p50.toFixed(1),
    p95.toFixed(1),
  ]),
});

const BYTES_PER_MB = 1e6;

const toSizeTable = (totals: IngestionTotals, bytes: Readonly<Record<string, number>>): Table => ({
  title: 'documents taken in, and what they take on the disk',
  headings: ['what', 'MB'],
  rows: [
    ['text', (totals.bytes / BYTES_PER_MB).toFixed(0)],
    ...RELATIONS.map((name) => [name, ((bytes[name] ?? 0) / BYTES_PER_MB).toFixed(0)]),
  ],
});

const judge = (totals: IngestionTotals, rows: readonly SummaryRow[]): Aim[] => {
  const worstP95 = (part: string): number =>
    Math.max(
      ...rows
        .filter(({ system, load }) => system === 'search' && load.includes(part))
        .map(({ p95 }) => p95),
    );
  return [
    atMost('p95 of rare words', 'ms', RARE_AIM_MS, worstP95('rare')),
    atMost('p95 of middling words', 'ms', COMMON_AIM_MS, worstP95('middling')),
    atMost('p95 of common words', 'ms', COMMON_AIM_MS, worstP95('common')),
    atLeast('ingestion', 'MB/s', INGESTION_AIM, totals.bytes / BYTES_PER_MB / totals.seconds),
  ];
};
