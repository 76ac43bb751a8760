export type Passage = {
  sourceId: string;
  source: string;
  documentId: string;
  title: string;
  chunkId: string;
  page: number | null;
  /**
   * Relevance of the passage: higher is better, and scores are comparable only within one search.
   */
  score: number;
  text: string;
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hex. */
  sha256: string;
};

/**
 * Query over the sources of a workspace. `agentId` limits the search to sources linked to that
 * agent, `sourceIds` to these sources.
 */
export type RetrieveQuery = {
  text: string;
  agentId?: string;
  sourceIds?: readonly string[];
  limit: number;
};

export type Retrieve = (workspaceId: string, query: RetrieveQuery) => Promise<Passage[]>;

export const PASSAGES_MAX = 8;
