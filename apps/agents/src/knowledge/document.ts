import type { DocumentHint } from './documents/document-text.ts';
import type { KnowledgeDocument } from './knowledge.ts';
import type { DocumentIndex } from './index-document.ts';

export type NewDocument = Omit<KnowledgeDocument, 'status' | 'error'>;

export type Upload = DocumentHint & {
  /** Title given by the client; if it is empty, the document's own title is used. */
  givenTitle: string;
  content: Uint8Array;
};

/**
 * Stores documents. Methods reject with NOT_FOUND if the source does not exist, and with CONFLICT
 * `document_limit_reached`.
 */
export type DocumentStore = {
  insertReady: (workspaceId: string, document: NewDocument, index: DocumentIndex) => Promise<void>;
  /**
   * Queues an upload. Rejects with RATE_LIMITED `too_many_uploads` if too many bytes of the
   * workspace are queued.
   */
  insertQueued: (workspaceId: string, document: NewDocument, upload: Upload) => Promise<void>;
};

export type LeasedDocument = Upload & {
  workspaceId: string;
  id: string;
  sourceId: string;
  lease: string;
  attempts: number;
};

export type DocumentQueue = {
  claim: (leaseMs: number) => Promise<LeasedDocument | undefined>;
  /** Renews the lease; returns false if the lease was lost or the document was deleted. */
  renew: (leased: DocumentLease, leaseMs: number) => Promise<boolean>;
  /**
   * Stores the index in one transaction. Returns false and stores nothing if the lease was lost, or
   * the document or its source was deleted.
   */
  finish: (leased: DocumentLease, index: DocumentIndex, signal: AbortSignal) => Promise<boolean>;
  fail: (leased: DocumentLease, error: string) => Promise<void>;
  /**
   * Ends the lease without counting the attempt; the document can be leased again after `delayMs`.
   */
  release: (leased: DocumentLease, delayMs: number) => Promise<void>;
};

export type DocumentLease = Pick<LeasedDocument, 'workspaceId' | 'id' | 'sourceId' | 'lease'>;
