import { invalidRequest } from '@witan/contracts';
import type { Passage, Retrieve } from './passage.ts';

export type KnowledgeQuery = {
  query: string;
  /** Ids of the sources to search; an empty list selects all sources of the workspace. */
  sourceIds: readonly string[];
  /** Maximum number of passages; 0 selects `LIMIT_DEFAULT`. */
  limit: number;
};

export type SearchKnowledge = (workspaceId: string, query: KnowledgeQuery) => Promise<Passage[]>;

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 50;
const QUERY_LENGTH_MAX = 32_000;
const SOURCES_MAX = 100;

export const createSearchKnowledge =
  (retrieve: Retrieve): SearchKnowledge =>
  async (workspaceId, { query: text, sourceIds, limit }) => {
    if (text.length > QUERY_LENGTH_MAX) {
      const message = `query may have ${QUERY_LENGTH_MAX} characters.`;
      throw invalidRequest(message, { param: 'query' });
    }
    if (text.trim() === '') throw invalidRequest('query is empty.', { param: 'query' });
    if (limit > LIMIT_MAX) {
      throw invalidRequest(`limit must be from 1 to ${LIMIT_MAX}.`, { param: 'limit' });
    }
    if (sourceIds.length > SOURCES_MAX) {
      throw invalidRequest(`sourceIds may be ${SOURCES_MAX}.`, { param: 'sourceIds' });
    }
    const scope = sourceIds.length === 0 ? {} : { sourceIds };
    return retrieve(workspaceId, { text, limit: limit || LIMIT_DEFAULT, ...scope });
  };
