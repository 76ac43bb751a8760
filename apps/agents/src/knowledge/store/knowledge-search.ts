import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { KnowledgeSearch, SearchedSource, StoredChunk } from '../retrieve.ts';
import type { BaseCount } from '../search/term.ts';
import { toSearchStatement } from './to-search-statement.ts';

/**
 * Creates the search. The index has no row-level security; a search finds only chunks of the given
 * sources, because every lexeme begins with the number of its source.
 */
export const createKnowledgeSearch = ({ query }: Pick<Database, 'query'>): KnowledgeSearch => ({
  findSources: (workspaceId, { agentId, sourceIds }) => {
    const values = [workspaceScope(workspaceId).setting, agentId ?? null, sourceIds ?? null];
    return query<SearchedSource>({ text: FIND_SOURCES, values });
  },
  countBases: (sources, bases) =>
    query<BaseCount>({ text: COUNT_BASES, values: [sources.map(({ no }) => no), bases] }),
  findCandidates: async (plan, counts, limit) => {
    const statement = toSearchStatement(plan, counts, limit);
    if (!statement) return [];
    const rows = await query<{ id: string }>(statement);
    return rows.map(({ id }) => id);
  },
  loadChunks: (workspaceId, ids) =>
    query<StoredChunk>({
      text: LOAD_CHUNKS,
      values: [workspaceScope(workspaceId).setting, ids],
    }),
});

const FIND_SOURCES = `
  SELECT id, no, name, chunk_count AS "chunkCount", word_count AS "wordCount"
  FROM searched_sources($1, $2, $3)`;

const COUNT_BASES = `
  SELECT source_no AS "sourceNo", base, chunks, thrice, six_times AS "sixTimes"
  FROM knowledge_base WHERE source_no = ANY ($1::int[]) AND base = ANY ($2::text[])`;

const LOAD_CHUNKS = `
  SELECT id, source_id AS "sourceId", document_id AS "documentId", title, page, text
  FROM found_chunks($1, $2)`;
