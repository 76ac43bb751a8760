import { invalidRequest } from '@witan/contracts';
import type { AddDocumentMessage, DocumentHead } from '@witan/contracts';
import type { Call } from '@witan/service-kit';
import type { AddDocument, DocumentDraft } from '../add-document.ts';
import { tooManyBytes } from '../documents/document-refusals.ts';
import { MAX_DOCUMENT_BYTES } from '../documents/document-text.ts';
import type { Knowledge, KnowledgeDocument } from '../knowledge.ts';
import type { UploadSlot, UploadBuffer } from '../upload-buffer.ts';

export type AddDocumentStream = (
  messages: AsyncIterable<AddDocumentMessage>,
  call: Call,
) => Promise<KnowledgeDocument>;

export type AddDocumentStreamDeps = {
  addDocument: AddDocument;
  getSource: Knowledge['getSource'];
  buffer: UploadBuffer;
};

/**
 * Returns a handler for streamed uploads. It checks that the source exists before it buffers
 * content, and rejects an upload that exceeds the buffer's budget.
 */
export const createAddDocumentStream =
  ({ buffer, ...deps }: AddDocumentStreamDeps): AddDocumentStream =>
  async (messages, call) => {
    const slot = buffer.open(call.workspaceId);
    try {
      const draft = await readDocument(messages, { slot, ...call, ...deps });
      return await deps.addDocument(call.workspaceId, draft, call.signal);
    } finally {
      slot.release();
    }
  };

type ReadDocumentDeps = Pick<Call, 'workspaceId'> &
  Pick<AddDocumentStreamDeps, 'getSource'> & { slot: UploadSlot };

const readDocument = async (
  messages: AsyncIterable<AddDocumentMessage>,
  { workspaceId, getSource, slot }: ReadDocumentDeps,
): Promise<DocumentDraft> => {
  let head: DocumentHead | undefined;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const { message } of messages) {
    if (message.case === 'head' && !head) {
      head = message.value;
      await getSource(workspaceId, head.sourceId);
      continue;
    }
    if (message.case !== 'content' || !head) throw messagesOutOfOrder();
    size += message.value.length;
    if (size > MAX_DOCUMENT_BYTES) throw tooManyBytes();
    slot.take(message.value.length);
    pieces.push(message.value);
  }
  if (!head) throw messagesOutOfOrder();
  const { sourceId, title: givenTitle, fileName, mediaType } = head;
  return { sourceId, givenTitle, fileName, mediaType, content: Buffer.concat(pieces) };
};

const messagesOutOfOrder = (): Error =>
  invalidRequest('A document begins with its head, once, and goes on with its content.');
