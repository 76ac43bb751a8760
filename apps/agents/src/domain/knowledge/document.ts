import type { DocumentHint } from './documents/document-text.ts';
import type { KnowledgeDocument } from './knowledge.ts';
import type { DocumentIndex } from './index-document.ts';

/** A document before it is stored. */
export type NewDocument = Omit<KnowledgeDocument, 'status' | 'error'>;

/** An uploaded original that is read later. */
export type Upload = DocumentHint & {
  /** The client's title; empty: the document's own. */
  givenTitle: string;
  content: Uint8Array;
};

/** Stores new documents. Rejects with NOT_FOUND and CONFLICT `document_limit_reached`. */
export type DocumentStore = {
  /** Stores an indexed document; it becomes searchable atomically. */
  insertReady: (workspaceId: string, document: NewDocument, index: DocumentIndex) => Promise<void>;
  /** Rejects with RATE_LIMITED `too_many_uploads` if too many bytes of the workspace wait. */
  insertWaiting: (workspaceId: string, document: NewDocument, upload: Upload) => Promise<void>;
};

/** A document leased to this process. */
export type WaitingDocument = Upload & {
  workspaceId: string;
  id: string;
  sourceId: string;
  lease: string;
  /** Attempts so far, including this one. */
  attempts: number;
};

/** The queue of unread documents of all workspaces. */
export type DocumentQueue = {
  /** Leases the next document, if any. */
  claim: (leaseMs: number) => Promise<WaitingDocument | undefined>;
  /** Returns false if the lease was lost or the document deleted. */
  renew: (waiting: Held, leaseMs: number) => Promise<boolean>;
  /** Stores the index atomically. Returns false, writing nothing, if the lease was lost. */
  finish: (waiting: Held, index: DocumentIndex, signal: AbortSignal) => Promise<boolean>;
  /** Marks the document as failed and deletes the original. */
  fail: (waiting: Held, error: string) => Promise<void>;
  /** Ends the lease; the document can be claimed again after `delayMs`. */
  giveBack: (waiting: Held, delayMs: number) => Promise<void>;
};

export type Held = Pick<WaitingDocument, 'workspaceId' | 'id' | 'sourceId' | 'lease'>;
