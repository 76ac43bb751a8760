import { summarizeLatencies } from '../load/latency-summary.ts';
import type { LatencySummary } from '../load/latency-summary.ts';
import type { Collection } from './ingest-documents.ts';
import type { Random } from '@witan/testing/create-random';
import type { KnowledgeTestbed } from './open-knowledge-testbed.ts';

/** A query, described by its number of rare, middling and common terms. */
export type SearchLoad = {
  name: string;
  /**
   * Number of terms by kind: a term is rare, middling or common by the number of chunks that
   * contain it.
   */
  words: Readonly<Partial<Record<WordKind, number>>>;
};

export type WordKind = 'rare' | 'middling' | 'common';
export type Words = Readonly<Record<WordKind, readonly string[]>>;

export type SearchRow = {
  system: 'search' | 'bare';
  load: string;
  workspaceId: string;
  round: number;
  searches: number;
  /** Mean number of passages that a search found. */
  found: number;
  latencyMs: LatencySummary;
};

export const LOADS: readonly SearchLoad[] = [
  { name: '1 rare word', words: { rare: 1 } },
  { name: '3 rare words', words: { rare: 3 } },
  { name: '1 middling word', words: { middling: 1 } },
  { name: '3 middling words', words: { middling: 3 } },
  { name: '1 common word', words: { common: 1 } },
  { name: '3 common words', words: { common: 3 } },
  { name: 'a question', words: { rare: 1, middling: 2, common: 6 } },
];

/**
 * Maximum number of chunks that contain a rare term. The limits of the other kinds are shares of a
 * source's chunks.
 */
const RARE_CHUNKS_MAX = 50;
const MIDDLING_SHARES = [0.002, 0.01] as const;
const COMMON_SHARE_MIN = 0.1;
const WORDS_PER_KIND = 300;
const LIMIT = 10;
const TIMEOUT_MS = 60_000;

/**
 * Returns the source's number of chunks, and terms of each kind, chosen by the number of chunks
 * that contain them according to the index.
 */
export const pickWords = async (
  { database }: KnowledgeTestbed,
  { sourceId }: Collection,
): Promise<Words & { chunks: number }> => {
  const counted = await database.query<{ chunks: number }>(
    'SELECT chunk_count AS chunks FROM agents.knowledge_source WHERE id = $1',
    [sourceId],
  );
  const chunks = counted.rows[0]!.chunks;
  const selectWords = async (minChunks: number, maxChunks: number): Promise<string[]> => {
    const values = [sourceId, Math.ceil(minChunks), Math.floor(maxChunks), WORDS_PER_KIND];
    const { rows } = await database.query<{ word: string }>(SELECT_WORDS, values);
    if (rows.length === 0)
      throw new Error(`No word stands in ${minChunks} to ${maxChunks} chunks.`);
    return rows.map(({ word }) => word);
  };
  return {
    chunks,
    rare: await selectWords(1, RARE_CHUNKS_MAX),
    middling: await selectWords(MIDDLING_SHARES[0] * chunks, MIDDLING_SHARES[1] * chunks),
    common: await selectWords(COMMON_SHARE_MIN * chunks, chunks),
  };
};

const SELECT_WORDS = `
  SELECT rtrim(base, '*') AS word
  FROM agents.knowledge_base JOIN agents.knowledge_source ON no = source_no
  WHERE id = $1 AND chunks BETWEEN $2 AND $3 ORDER BY md5(base) LIMIT $4`;

export const makeQuery = (load: SearchLoad, words: Words, random: Random): string[] =>
  Object.entries(load.words).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => {
      const candidates = words[kind as WordKind];
      return candidates[Math.floor(random.next() * candidates.length)]!;
    }),
  );

/** Measures searches one after the other, as one user would make them. */
export const measureSearches = async (
  testbed: KnowledgeTestbed,
  { workspaceId }: Collection,
  queries: readonly (readonly string[])[],
): Promise<Pick<SearchRow, 'found' | 'latencyMs'>> =>
  measure(queries, async (words) => {
    const options = { workspaceId, timeoutMs: TIMEOUT_MS };
    const request = { query: words.join(' '), limit: LIMIT };
    return (await testbed.knowledge.search(request, options)).passages.length;
  });

/**
 * Measures a reference for every search: one SQL query for the text of any ten chunks that contain
 * one of the terms, without ranking, access check or service.
 */
export const measureBare = async (
  { database }: KnowledgeTestbed,
  { sourceId }: Collection,
  queries: readonly (readonly string[])[],
): Promise<Pick<SearchRow, 'found' | 'latencyMs'>> => {
  const found = await database.query<{ no: number }>(
    'SELECT no FROM agents.knowledge_source WHERE id = $1',
    [sourceId],
  );
  const { no } = found.rows[0]!;
  return measure(queries, async (words) => {
    const query = words.map((word) => `'${no}.${toStem(word)}'`).join(' | ');
    const { rows } = await database.query({ ...BARE_QUERY, values: [query] });
    return rows.length;
  });
};

/** Returns the stem of a word as the index stores it. */
const toStem = (word: string): string => (word.length < 5 ? word : `${word.slice(0, 5)}*`);

const BARE_QUERY = {
  name: 'bare',
  text: `
    SELECT id, text FROM agents.knowledge_entry JOIN agents.knowledge_chunk ON id = chunk_id
    WHERE agents.knowledge_lexemes(search) @@ $1::tsquery LIMIT ${LIMIT}`,
};

const measure = async (
  queries: readonly (readonly string[])[],
  search: (words: readonly string[]) => Promise<number>,
): Promise<Pick<SearchRow, 'found' | 'latencyMs'>> => {
  const samplesMs: number[] = [];
  let found = 0;
  for (const words of queries) {
    const startedAt = performance.now();
    found += await search(words);
    samplesMs.push(performance.now() - startedAt);
  }
  return { found: found / queries.length, latencyMs: summarizeLatencies(samplesMs) };
};
