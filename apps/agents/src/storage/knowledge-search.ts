import { unavailable } from '@witan/contracts';
import { isServerAway, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { KnowledgeSearch, SearchedSource, StoredChunk } from '../domain/knowledge/retrieve.ts';
import type { SearchPlan } from '../domain/knowledge/search/plan-search.ts';
import type { BaseCount, BaseCounts } from '../domain/knowledge/search/term.ts';
import { toTsquery } from './to-tsquery.ts';

/** Searches in Postgres. The index is read as it is; whose it is, is part of what is looked up. */
export const createKnowledgeSearch = (database: Database): KnowledgeSearch => ({
  findSources: async (workspaceId, { agentId, sourceIds }) => {
    const values = [workspaceScope(workspaceId).setting, agentId ?? null, sourceIds ?? null];
    return read<SearchedSource>(database, FIND_SOURCES, values);
  },
  countBases: async (sources, bases) =>
    read<BaseCount>(database, COUNT_BASES, [sources.map(({ no }) => no), bases]),
  findCandidates: async (plan, counts, limit) => {
    const { text, values } = toStatement(plan, counts, limit);
    if (text === '') return [];
    const rows = await read<{ id: string }>(database, text, values);
    return rows.map(({ id }) => id);
  },
  loadChunks: async (workspaceId, ids) =>
    read<StoredChunk>(database, LOAD_CHUNKS, [workspaceScope(workspaceId).setting, ids]),
});

const read = async <T extends object>(
  { pool }: Database,
  text: string,
  values: unknown[],
): Promise<T[]> => {
  try {
    return (await pool.query<T>(text, values)).rows;
  } catch (error) {
    if (!isServerAway(error)) throw error;
    throw unavailable('A part of the service is not reachable for the moment; try again.', error);
  }
};

const FIND_SOURCES = `
  SELECT id, no, name, chunk_count AS "chunkCount", word_count AS "wordCount"
  FROM searched_sources($1, $2, $3)`;

const COUNT_BASES = `
  SELECT source_no AS "sourceNo", base, chunks, thrice, six_times AS "sixTimes"
  FROM knowledge_base WHERE source_no = ANY ($1::int[]) AND base = ANY ($2::text[])`;

const LOAD_CHUNKS = `
  SELECT id, source_id AS "sourceId", document_id AS "documentId", title, page, text
  FROM found_chunks($1, $2)`;

const toStatement = (
  { complete, sampled }: SearchPlan,
  counts: BaseCounts,
  limit: number,
): { text: string; values: unknown[] } => {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const branches: string[] = [];
  for (const { clause, weight } of complete) {
    const query = toTsquery(clause, counts);
    if (query === undefined) continue;
    branches.push(
      `SELECT chunk_id, ${place(weight)}::float8 AS weight, 0 AS best ${from(place(query))}`,
    );
  }
  for (const { clause, weight, limit: most } of sampled) {
    const query = toTsquery(clause, counts);
    if (query === undefined) continue;
    const found = `SELECT chunk_id, 0 AS weight, ${place(weight)}::float8 AS best ${from(place(query))}`;
    branches.push(`(${found} LIMIT ${most})`);
  }
  if (branches.length === 0) return { text: '', values };
  const text = `
    SELECT chunk_id AS id FROM (${branches.join(' UNION ALL ')}) AS found
    GROUP BY chunk_id ORDER BY greatest(sum(weight), max(best)) DESC, chunk_id
    LIMIT ${place(limit)}`;
  return { text, values };
};

const from = (query: string): string =>
  `FROM knowledge_entry WHERE knowledge_lexemes(search) @@ ${query}::tsquery`;
