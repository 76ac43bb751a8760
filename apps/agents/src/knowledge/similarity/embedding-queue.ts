import type { UnitVector } from './unit-vector.ts';

/** A document that a worker leases to embed the chunks that have no vector of the current model. */
export type LeasedEmbedding = {
  workspaceId: string;
  id: string;
  sourceId: string;
  lease: string;
  /** Number of leases since a batch was last saved, this one included. */
  attempts: number;
  /** Number of those attempts that may have been charged; a crash counts. */
  paidAttempts: number;
};

export type PendingChunks = {
  chunks: readonly { id: string; text: string }[];
  /** Model addresses of the agents that are linked to the source now; empty without chunks. */
  agentModels: readonly string[];
};

export type EmbeddedChunk = { id: string; vector: UnitVector };

export type ClaimOptions = {
  leaseMs: number;
  /** Workspaces are served in the order of their ids, beginning after this one. */
  after: string;
  /** Workspaces that are not served. */
  without: readonly string[];
};

export type EmbeddingQueue = {
  claim: (options: ClaimOptions) => Promise<LeasedEmbedding | undefined>;
  /** Returns chunks without a vector of the current model whose ids follow `after`, by id. */
  nextChunks: (
    leased: LeasedEmbedding,
    page: { after: string; limit: number },
  ) => Promise<PendingChunks>;
  /**
   * Stores vectors and renews the lease in one transaction. Returns false and stores nothing if
   * the lease was lost or the document was deleted.
   */
  save: (
    leased: LeasedEmbedding,
    batch: { origin: string; chunks: readonly EmbeddedChunk[]; leaseMs: number },
  ) => Promise<boolean>;
  /**
   * Ends the lease; the document has vectors of the current model, or with `hasFailed` gets no more
   * of them. It is not leased again for this model.
   */
  finish: (leased: LeasedEmbedding, options: { hasFailed: boolean }) => Promise<void>;
  /**
   * Ends the lease; the document can be leased again after `delayMs`. With `isUnpaid`, the lease
   * does not count as a paid attempt. With `ofSource`, all documents of its source that are not
   * leased get the same delay.
   */
  release: (
    leased: LeasedEmbedding,
    options: { delayMs: number; isUnpaid: boolean; ofSource?: boolean },
  ) => Promise<void>;
};
