export type Passage = {
  sourceId: string;
  source: string;
  documentId: string;
  title: string;
  chunkId: string;
  page: number | null;
  /** Higher is better; comparable within one search only. */
  score: number;
  text: string;
  /** Lower-case hex SHA-256 of the text's UTF-8 bytes. */
  sha256: string;
};

/** Searches the sources linked to an agent, the given sources, or all of the workspace. */
export type RetrieveQuery = {
  text: string;
  agentId?: string;
  sourceIds?: readonly string[];
  limit: number;
};

export type Retrieve = (workspaceId: string, query: RetrieveQuery) => Promise<Passage[]>;

export const PASSAGES_MAX = 8;
