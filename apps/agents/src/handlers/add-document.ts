import { invalidRequest } from '@witan/contracts';
import type { AddDocumentMessage, DocumentHead } from '@witan/contracts';
import type { Call } from '@witan/service-kit';
import type { AddDocument } from '../domain/knowledge/add-document.ts';
import { tooManyBytes } from '../domain/knowledge/documents/document-refusals.ts';
import { MAX_DOCUMENT_BYTES } from '../domain/knowledge/documents/document-text.ts';
import type { Knowledge, KnowledgeDocument } from '../domain/knowledge/knowledge.ts';

/** Takes a document that comes in pieces: first its head, then its bytes. */
export type AddDocumentStream = (
  messages: AsyncIterable<AddDocumentMessage>,
  call: Call,
) => Promise<KnowledgeDocument>;

/** Asks for the source before it takes anything in. */
export const createAddDocumentStream =
  (addDocument: AddDocument, { getSource }: Pick<Knowledge, 'getSource'>): AddDocumentStream =>
  async (messages, { workspaceId, signal }) => {
    let head: DocumentHead | undefined;
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const { message } of messages) {
      if (message.case === 'head' && !head) {
        head = message.value;
        await getSource(workspaceId, head.sourceId);
        continue;
      }
      if (message.case !== 'content' || !head) throw outOfOrder();
      size += message.value.length;
      if (size > MAX_DOCUMENT_BYTES) throw tooManyBytes();
      pieces.push(message.value);
    }
    if (!head) throw outOfOrder();
    const { sourceId, title: givenTitle, fileName, mediaType } = head;
    const draft = { sourceId, givenTitle, fileName, mediaType, content: Buffer.concat(pieces) };
    return addDocument(workspaceId, draft, signal);
  };

const outOfOrder = (): Error =>
  invalidRequest('A document begins with its head, once, and goes on with its content.');
