/** A chunk found by a search. */
export type Passage = {
  sourceId: string;
  /** Name of the source. */
  source: string;
  documentId: string;
  /** Title of the document. */
  title: string;
  chunkId: string;
  /** From 1; null if the document has no pages. */
  page: number | null;
  /** Higher is better; comparable within one search only. */
  score: number;
  /** Verbatim text of the document. */
  text: string;
  /** Lower-case hex SHA-256 of the UTF-8 bytes of the text. */
  sha256: string;
};

/** A query over the sources linked to an agent, some sources, or all of them. */
export type RetrieveQuery = {
  text: string;
  agentId?: string;
  sourceIds?: readonly string[];
  limit: number;
};

/** Returns passages, best first. */
export type Retrieve = (workspaceId: string, query: RetrieveQuery) => Promise<Passage[]>;

/** Most passages shown in a turn. */
export const PASSAGES_MAX = 8;
