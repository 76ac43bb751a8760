import { invalidRequest } from '@witan/contracts';
import { checkText } from '../agent/agent.ts';
import type { KnowledgeDocument } from './knowledge.ts';
import type { DocumentStore, Upload } from './document.ts';
import { tooManyBytes } from './documents/document-refusals.ts';
import { MAX_DOCUMENT_BYTES, MEDIA_TYPES } from './documents/document-text.ts';
import type { ReadDocument } from './documents/document-text.ts';
import { recogniseFormat } from './documents/recognise-format.ts';
import { toTitle } from './documents/to-title.ts';
import { indexDocument } from './index-document.ts';

export type DocumentDraft = Upload & { sourceId: string };

type AddDocumentDeps = {
  store: DocumentStore;
  readDocument: ReadDocument;
  onQueued: () => void;
  newId: (prefix: string) => string;
  clock: () => Date;
};

/**
 * Adds a document. A short document is indexed at once and returned as `ready`; a long one is
 * queued and returned as `processing`.
 */
export type AddDocument = (
  workspaceId: string,
  draft: DocumentDraft,
  signal: AbortSignal,
) => Promise<KnowledgeDocument>;

/**
 * Size in bytes up to which a document is indexed before the response is sent; larger ones are
 * queued.
 */
const IMMEDIATE_READ_BYTES_MAX = 1024 * 1024;
const TITLE_LENGTH_MAX = 200;
const HINT_LENGTH_MAX = 500;

/**
 * Returns an `AddDocument`. It rejects drafts that are empty or too large or have an invalid title,
 * file name or media type; its other errors are those of reading and storing the document.
 */
export const createAddDocument =
  (deps: AddDocumentDeps): AddDocument =>
  async (workspaceId, draft, signal) => {
    checkDraft(draft);
    const { store, readDocument, newId, clock, onQueued } = deps;
    const { sourceId, givenTitle, content } = draft;
    const head = { id: newId('knd'), sourceId, size: content.length, createdAt: clock() };
    if (content.length > IMMEDIATE_READ_BYTES_MAX) {
      const mediaType = MEDIA_TYPES[recogniseFormat(content, draft)];
      const title = givenTitle || toTitle('', draft, mediaType);
      const document = { ...head, title, mediaType, pageCount: null, chunkCount: 0 };
      await store.insertQueued(workspaceId, document, draft);
      onQueued();
      return { ...document, status: 'processing', error: '' };
    }
    const { mediaType: declared, fileName } = draft;
    const hint = { mediaType: declared, fileName, owner: workspaceId };
    const index = indexDocument(await readDocument(content, hint, signal), { givenTitle, newId });
    const { title, mediaType, pageCount, chunkCount } = index;
    const document = { ...head, title, mediaType, pageCount, chunkCount };
    await store.insertReady(workspaceId, document, index);
    return { ...document, status: 'ready', error: '' };
  };

const checkDraft = ({ givenTitle, fileName, mediaType, content }: DocumentDraft): void => {
  checkText(givenTitle, { param: 'title', max: TITLE_LENGTH_MAX });
  checkText(fileName, { param: 'fileName', max: HINT_LENGTH_MAX });
  checkText(mediaType, { param: 'mediaType', max: HINT_LENGTH_MAX });
  if (content.length === 0) throw invalidRequest('The document is empty.', { param: 'content' });
  if (content.length > MAX_DOCUMENT_BYTES) throw tooManyBytes();
};
