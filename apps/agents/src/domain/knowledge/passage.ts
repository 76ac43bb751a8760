/** A piece of a document that was found. */
export type Passage = {
  sourceId: string;
  /** The source's name. */
  source: string;
  documentId: string;
  /** The document's title. */
  title: string;
  chunkId: string;
  /** From 1; null when the document has no pages. */
  page: number | null;
  /** The better, the higher; of one search only. */
  score: number;
  /** As it stands in the document. */
  text: string;
  /** Lower-case hex SHA-256 of the UTF-8 bytes of the text. */
  sha256: string;
};

/** What to look for, and where: in what is linked to an agent, in some sources, or in all. */
export type RetrieveQuery = {
  text: string;
  agentId?: string;
  sourceIds?: readonly string[];
  limit: number;
};

/** Finds passages, best first. */
export type Retrieve = (workspaceId: string, query: RetrieveQuery) => Promise<Passage[]>;

/** Most passages that a turn is shown. */
export const PASSAGES_MAX = 8;
