import type { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { ADD_DOCUMENT_TIMEOUT_MS } from '../../http/call-timeout.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { DOCUMENT, DOCUMENT_UPLOADS, DOCUMENTS, NEW_DOCUMENT, TITLE } from './knowledge-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { readDocumentUpload } from './read-document-upload.ts';
import type { DocumentUpload } from './read-document-upload.ts';
import { DOCUMENT_ID, SOURCE_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';

type Knowledge = Client<typeof KnowledgeService>;

/** Maximum size of an upload: a file of 32 MiB and the form around it. */
const UPLOAD_BYTES_MAX = 32 * 1024 * 1024 + 64 * 1024;
/**
 * Size of the pieces in which a document is sent to the agents service; a gRPC message is limited
 * to 4 MiB.
 */
const PIECE_BYTES = 256 * 1024;

const shared = {
  path: '/v1/knowledge/sources/{id}/documents',
  surface: 'native',
  tag: 'Knowledge',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such source in this workspace');

export const addDocumentRoute = (knowledge: Knowledge): Route => ({
  ...shared,
  id: 'addKnowledgeDocument',
  method: 'post',
  summary: 'Add a document: JSON, or a file of text, Markdown, HTML, PDF or DOCX of up to 32 MiB',
  scopes: ['knowledge'],
  query: { title: { ...TITLE, description: 'What an uploaded file is called' } },
  body: NEW_DOCUMENT,
  uploads: DOCUMENT_UPLOADS,
  bodyBytesMax: UPLOAD_BYTES_MAX,
  idempotent: true,
  responses: {
    201: { description: 'The document; it can be found now', schema: DOCUMENT },
    202: { description: 'The document, above 1 MiB: it is being read', schema: DOCUMENT },
    400: DOCUMENTED_ERROR.native('The document is empty, damaged or without text'),
    404: notFoundError,
    409: DOCUMENTED_ERROR.native(
      'The source has 10,000 documents (document_limit_reached), or a call with this ' +
        'Idempotency-Key runs or lost its answer',
    ),
    413: DOCUMENTED_ERROR.native('The document is too large, or asks for too much to be read'),
    415: DOCUMENTED_ERROR.native('The document is of no format that can be read'),
    429: {
      ...DOCUMENTED_ERROR.native(
        'The workspace sends more at once than there is room for (too_many_uploads), or too many ' +
          'calls with this key',
      ),
      headers: { 'retry-after': 'Seconds to wait' },
    },
    503: DOCUMENTED_ERROR.native('There is no room for another upload, or a service is down'),
  },
  handle: async (call) => {
    const sourceId = SOURCE_ID.read(call.params.id);
    const upload = await readDocumentUpload(call);
    // Frees the memory of the body, because only the decoded upload is used from here on.
    Object.assign(call, { body: {}, source: new Uint8Array() });
    call.request.body = undefined;
    const options = { ...optionsOf(call), timeoutMs: ADD_DOCUMENT_TIMEOUT_MS };
    for await (const response of knowledge.addDocument(toMessages(sourceId, upload), options)) {
      return reply(response.document!.status === 'ready' ? 201 : 202, DOCUMENT, response);
    }
    throw new Error('The agents service ended without a document.');
  },
});

export const documentsRoute = (knowledge: Knowledge): Route => ({
  ...shared,
  id: 'listKnowledgeDocuments',
  method: 'get',
  summary: 'List the documents of a source, newest first',
  scopes: ['knowledge', 'knowledge:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The documents', schema: DOCUMENTS },
    404: notFoundError,
  },
  handle: async (call) => {
    const request = { sourceId: SOURCE_ID.read(call.params.id), ...readPage(call, DOCUMENT_ID.is) };
    return reply(200, DOCUMENTS, await knowledge.listDocuments(request, optionsOf(call)));
  },
});

export const deleteDocumentRoute = (knowledge: Knowledge): Route => ({
  ...shared,
  path: '/v1/knowledge/documents/{id}',
  id: 'deleteKnowledgeDocument',
  method: 'delete',
  summary: 'Delete a document and all that was made of it',
  scopes: ['knowledge'],
  responses: {
    204: { description: 'It is gone' },
    404: DOCUMENTED_ERROR.native('No such document in this workspace'),
  },
  handle: async (call) => {
    const options = { ...optionsOf(call), timeoutMs: ADD_DOCUMENT_TIMEOUT_MS };
    await knowledge.deleteDocument({ id: DOCUMENT_ID.read(call.params.id) }, options);
    return { status: 204 };
  },
});

type Message = Parameters<Knowledge['addDocument']>[0] extends AsyncIterable<infer M> ? M : never;

async function* toMessages(
  sourceId: string,
  { content, ...head }: DocumentUpload,
): AsyncGenerator<Message> {
  yield { message: { case: 'head', value: { sourceId, ...head } } };
  for (let index = 0; index < content.length; index += PIECE_BYTES) {
    yield { message: { case: 'content', value: content.subarray(index, index + PIECE_BYTES) } };
  }
}
