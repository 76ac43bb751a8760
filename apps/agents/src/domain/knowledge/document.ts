import type { DocumentHint } from './documents/document-text.ts';
import type { KnowledgeDocument } from './knowledge.ts';
import type { DocumentIndex } from './index-document.ts';

/** A document that is not in the database yet. */
export type NewDocument = Omit<KnowledgeDocument, 'status' | 'error'>;

/** What a client sent, to be read later. */
export type Upload = DocumentHint & {
  /** What the client calls it; empty: what it calls itself. */
  givenTitle: string;
  content: Uint8Array;
};

/** Takes documents in. Rejects with NOT_FOUND and CONFLICT `document_limit_reached`. */
export type DocumentStore = {
  /** All of it can be found from one moment on. */
  insertReady: (workspaceId: string, document: NewDocument, index: DocumentIndex) => Promise<void>;
  /** Rejects with RATE_LIMITED `too_many_uploads` when too many bytes of the workspace wait. */
  insertWaiting: (workspaceId: string, document: NewDocument, upload: Upload) => Promise<void>;
};

/** A document that this process alone may read, for as long as it renews the lease. */
export type WaitingDocument = Upload & {
  workspaceId: string;
  id: string;
  sourceId: string;
  lease: string;
  /** Times that somebody began to read it, this time included. */
  attempts: number;
};

/** Documents that wait to be read, of all workspaces. */
export type DocumentQueue = {
  /** The next that nobody holds. */
  claim: (leaseMs: number) => Promise<WaitingDocument | undefined>;
  /** False: the lease is somebody else's by now, or the document is gone. */
  renew: (waiting: Held, leaseMs: number) => Promise<boolean>;
  /** All of it can be found from one moment on. False as above: then nothing was written. */
  finish: (waiting: Held, index: DocumentIndex, signal: AbortSignal) => Promise<boolean>;
  /** Forgets the original. */
  fail: (waiting: Held, error: string) => Promise<void>;
  /** Somebody may claim it, in so many milliseconds. */
  giveBack: (waiting: Held, delayMs: number) => Promise<void>;
};

export type Held = Pick<WaitingDocument, 'workspaceId' | 'id' | 'sourceId' | 'lease'>;
