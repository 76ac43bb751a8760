import type { Bench } from '../bench.ts';
import { readPostgresSettings } from '../postgres-settings.ts';
import { atLeast, atMost } from '../report/aim.ts';
import type { Aim } from '../report/aim.ts';
import { median } from '../report/median.ts';
import type { Table } from '../report/print-table.ts';
import { createCollections, fillLibrary } from './fill-library.ts';
import type { Filling, Collection } from './fill-library.ts';
import { createRandom } from './library-words.ts';
import { LOADS, makeQuery, measureBare, measureSearches, pickWords } from './measure-searches.ts';
import type { SearchRow } from './measure-searches.ts';
import { openLibrary } from './open-library.ts';
import type { Library } from './open-library.ts';

/**
 * Maximum p95 latency in milliseconds of searches for rare terms, and for middling and common ones.
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
  const { pace, log } = context;
  const { chunks, searches } = pace.knowledge;
  log('starting PostgreSQL and agents');
  const library = await openLibrary(context);
  const collections = await createCollections(library);
  log(`taking in ${chunks} chunks`);
  const filling = await fillLibrary(library, collections, { chunks, log });
  await library.database.query('VACUUM ANALYZE');
  const rows: SearchRow[] = [];
  const sizes: Record<string, number> = {};
  for (const collection of collections) {
    const words = await pickWords(library, collection);
    sizes[collection.workspaceId] = words.chunks;
    for (const load of LOADS) {
      const random = createRandom(SEED);
      const make = (): string[] => makeQuery(load, words, random);
      await measureSearches(library, collection, Array.from({ length: searches / 5 }, make));
      for (let round = 1; round <= pace.rounds; round += 1) {
        const queries = Array.from({ length: searches }, make);
        const about = { load: load.name, workspaceId: collection.workspaceId, round, searches };
        const bare = await measureBare(library, collection, queries);
        rows.push({ system: 'bare', ...about, ...bare });
        const found = await measureSearches(library, collection, queries);
        rows.push({ system: 'search', ...about, ...found });
      }
      log(`${collection.workspaceId}: ${load.name}: ${describe(rows.at(-1)!)}`);
    }
  }
  const summary = summarize(rows);
  const bytes = await readSizes(library);
  return {
    config: { collections: sizes, postgres: await readPostgresSettings(library.postgres.adminUrl) },
    rows,
    summary: { filling, bytes, searches: summary },
    tables: [toSearchTable(summary), toSizeTable(filling, bytes)],
    checks: { foundItself: await checkFound(library, collections) },
    aims: judge(filling, summary),
  };
};

const describe = ({ latencyMs: { p50, p95 } }: SearchRow): string =>
  `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;

const summarize = (rows: readonly SearchRow[]): SummaryRow[] =>
  [...Map.groupBy(rows, (row) => `${row.workspaceId} ${row.load} ${row.system}`).values()].map(
    (rounds) => {
      const { system, load, workspaceId } = rounds[0]!;
      return {
        system,
        load,
        workspaceId,
        p50: median(rounds.map(({ latencyMs }) => latencyMs.p50)),
        p95: median(rounds.map(({ latencyMs }) => latencyMs.p95)),
      };
    },
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
const readSizes = async ({ database }: Library): Promise<Record<string, number>> => {
  const { rows } = await database.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
     WHERE relname = ANY ($1) AND relnamespace = 'agents'::regnamespace`,
    [RELATIONS],
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
};

/** Number of chunks for which a search for some of their own terms is checked. */
const KNOWN = 100;
const KNOWN_WORDS = 5;
const TIMEOUT_MS = 60_000;

/**
 * Returns how many of the checked chunks are among the first ten results for five of their terms.
 */
const checkFound = async (
  library: Library,
  collections: readonly Collection[],
): Promise<string> => {
  const { workspaceId, sourceId } = collections[0]!;
  const { rows } = await library.database.query<{ id: string; text: string }>(
    'SELECT id, text FROM agents.knowledge_chunk WHERE source_id = $1 ORDER BY md5(id) LIMIT $2',
    [sourceId, KNOWN],
  );
  const random = createRandom(SEED);
  let found = 0;
  for (const { id, text } of rows) {
    const words = [...new Set(text.match(/[a-z]+/g))];
    const some = Array.from(
      { length: KNOWN_WORDS },
      () => words[Math.floor(random() * words.length)]!,
    );
    const request = { query: some.join(' '), limit: 10 };
    const options = { workspaceId, timeoutMs: TIMEOUT_MS };
    const { passages } = await library.knowledge.search(request, options);
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

const MB = 1e6;

const toSizeTable = (filling: Filling, bytes: Readonly<Record<string, number>>): Table => ({
  title: 'documents taken in, and what they take on the disk',
  headings: ['what', 'MB'],
  rows: [
    ['text', (filling.bytes / MB).toFixed(0)],
    ...RELATIONS.map((name) => [name, ((bytes[name] ?? 0) / MB).toFixed(0)]),
  ],
});

const judge = (filling: Filling, rows: readonly SummaryRow[]): Aim[] => {
  const worst = (part: string): number =>
    Math.max(
      ...rows
        .filter(({ system, load }) => system === 'search' && load.includes(part))
        .map(({ p95 }) => p95),
    );
  return [
    atMost('p95 of rare words', 'ms', RARE_AIM_MS, worst('rare')),
    atMost('p95 of middling words', 'ms', COMMON_AIM_MS, worst('middling')),
    atMost('p95 of common words', 'ms', COMMON_AIM_MS, worst('common')),
    atLeast('ingestion', 'MB/s', INGESTION_AIM, filling.bytes / MB / filling.seconds),
  ];
};
