import type { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { ADD_DOCUMENT_TIMEOUT_MS } from '../../http/route.ts';
import { freeBody } from '../../http/read-body.ts';
import type { Reply, Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { encodeAs } from '../../http/encode.ts';
import { nativeRoutes } from '../native-routes.ts';
import type { NativeCall } from '../native-routes.ts';
import { AGENT_ID, DOCUMENT_ID, SOURCE_ID } from '../resource-id.ts';
import { createAudited, runAudited } from '../run-audited.ts';
import {
  DOCUMENT,
  DOCUMENT_UPLOADS,
  DOCUMENTS,
  KNOWLEDGE_QUERY,
  NEW_DOCUMENT,
  NEW_SOURCE,
  NEW_SOURCE_LINK,
  PASSAGES,
  SOURCE,
  SOURCE_LINK,
  SOURCES,
  TITLE,
} from './knowledge-schema.ts';
import { readDocumentUpload } from './read-document-upload.ts';
import type { DocumentUpload } from './read-document-upload.ts';

type Knowledge = Client<typeof KnowledgeService>;

const { create, list, get, act, remove, handled } = nativeRoutes('Knowledge', 'knowledge');

/** Maximum size of an upload: a file of 32 MiB and the form around it. */
const UPLOAD_BYTES_MAX = 32 * 1024 * 1024 + 64 * 1024;
/**
 * Size of the pieces in which a document is sent to the agents service; a gRPC message is limited
 * to 4 MiB.
 */
const PIECE_BYTES = 256 * 1024;

const SOURCES_PATH = '/v1/knowledge/sources';
const SOURCE_PATH = '/v1/knowledge/sources/{id}';
const DOCUMENTS_PATH = '/v1/knowledge/sources/{id}/documents';

export const knowledgeRoutes = (knowledge: Knowledge, recordAudit: RecordAudit): Route[] => [
  ...sourceRoutes(knowledge, recordAudit),
  ...documentRoutes(knowledge, recordAudit),
  act('/v1/knowledge/search', {
    id: 'searchKnowledge',
    summary: 'Find passages by their words, the best first',
    scopes: ['knowledge', 'knowledge:read'],
    body: KNOWLEDGE_QUERY,
    returns: 'The passages; none when nothing was found',
    schema: PASSAGES,
    errors: { 400: 'query is empty or too long, or a source is not there' },
    run: ({ body: { query, sourceIds, limit }, options: callOptions }) =>
      knowledge.search({ query, sourceIds, limit }, callOptions),
  }),
  ...sourceLinkRoutes(knowledge, recordAudit),
];

const sourceRoutes = (knowledge: Knowledge, recordAudit: RecordAudit): Route[] => [
  create(SOURCES_PATH, {
    id: 'createKnowledgeSource',
    summary: 'Create a source: a collection of documents that agents can be given to read',
    body: NEW_SOURCE,
    returns: 'The source',
    schema: SOURCE,
    errors: {
      400: 'name is missing, empty or too long',
      409:
        'The name is taken (name_taken), the workspace has 100 sources (source_limit_reached), ' +
        'or a call with this Idempotency-Key runs or lost its answer',
    },
    run: ({ call, body: { name, description } }) =>
      createAudited(
        call,
        { action: 'knowledge_source.created', recordAudit },
        (options) => knowledge.createSource({ name, description: description ?? '' }, options),
        ({ source }) => source!.id,
      ),
  }),
  list(SOURCES_PATH, {
    id: 'listKnowledgeSources',
    summary: "List the workspace's sources, newest first",
    returns: 'The sources',
    schema: SOURCES,
    cursorId: SOURCE_ID,
    run: ({ page, options }) => knowledge.listSources(page, options),
  }),
  get(SOURCE_PATH, {
    id: 'getKnowledgeSource',
    summary: 'One source, with the agents that read it',
    ids: { id: SOURCE_ID },
    returns: 'The source',
    schema: SOURCE,
    run: ({ ids, options }) => knowledge.getSource(ids, options),
  }),
  remove(SOURCE_PATH, {
    id: 'deleteKnowledgeSource',
    summary: 'Delete a source with its documents and links; nothing of it is found any more',
    ids: { id: SOURCE_ID },
    run: ({ call, ids: { id } }) =>
      runAudited(
        call,
        { action: 'knowledge_source.deleted', subject: id, recordAudit },
        (options) => knowledge.deleteSource({ id }, options),
      ),
  }),
];

const documentRoutes = (knowledge: Knowledge, recordAudit: RecordAudit): Route[] => [
  handled('post', DOCUMENTS_PATH, {
    id: 'addKnowledgeDocument',
    summary: 'Add a document: JSON, or a file of text, Markdown, HTML, PDF or DOCX of up to 32 MiB',
    ids: { id: SOURCE_ID },
    query: { title: { ...TITLE, description: 'What an uploaded file is called' } },
    body: NEW_DOCUMENT,
    uploads: DOCUMENT_UPLOADS,
    bodyBytesMax: UPLOAD_BYTES_MAX,
    limitsMemory: true,
    idempotent: true,
    responses: {
      201: { description: 'The document; it can be found now', schema: DOCUMENT },
      202: { description: 'The document, above 1 MiB: it is being read', schema: DOCUMENT },
    },
    errors: {
      400: 'The document is empty, damaged or without text',
      409:
        'The source has 10,000 documents (document_limit_reached), or a call with this ' +
        'Idempotency-Key runs or lost its answer',
      413: 'The document is too large, or asks for too much to be read',
      415: 'The document is of no format that can be read',
      429: {
        ...DOCUMENTED_ERROR.native(
          'The running calls of the workspace take all its memory for bodies ' +
            '(too_many_uploads), or too many calls with this key',
        ),
        headers: { 'retry-after': 'Seconds to wait' },
      },
      503: 'There is no room for another upload, or a service is down',
    },
    handle: (input) => addDocument(knowledge, input),
  }),
  list(DOCUMENTS_PATH, {
    id: 'listKnowledgeDocuments',
    summary: 'List the documents of a source, newest first',
    ids: { id: SOURCE_ID },
    returns: 'The documents',
    schema: DOCUMENTS,
    cursorId: DOCUMENT_ID,
    run: ({ ids, page, options }) =>
      knowledge.listDocuments({ sourceId: ids.id, ...page }, options),
  }),
  remove('/v1/knowledge/documents/{id}', {
    id: 'deleteKnowledgeDocument',
    summary: 'Delete a document and all that was made of it',
    ids: { id: DOCUMENT_ID },
    run: ({ call, ids: { id } }) => {
      const entry = { action: 'knowledge_document.deleted', subject: id, recordAudit } as const;
      return runAudited(call, entry, (options) =>
        knowledge.deleteDocument({ id }, { ...options, timeoutMs: ADD_DOCUMENT_TIMEOUT_MS }),
      );
    },
  }),
];

const linkErrors = { 404: 'No such agent, or no such source, in this workspace' } as const;

/**
 * Returns the routes that link sources to agents. Linking a source shows its content to all callers
 * of the agent, so these routes need the scope `knowledge`; `agents` alone is not enough.
 */
const sourceLinkRoutes = (knowledge: Knowledge, recordAudit: RecordAudit): Route[] => [
  act('/v1/agents/{id}/knowledge', {
    id: 'linkKnowledgeSource',
    summary: 'Let an agent read a source; harmless when it may already',
    ids: { id: AGENT_ID },
    body: NEW_SOURCE_LINK,
    returns: 'The agent reads it',
    schema: SOURCE_LINK,
    errors: linkErrors,
    run: async ({ call, ids, body }) => {
      const sourceId = SOURCE_ID.read(body.sourceId, 'sourceId');
      const link = { agentId: ids.id, sourceId };
      const entry = {
        action: 'knowledge_source.linked',
        subject: sourceId,
        detail: ids.id,
      } as const;
      await runAudited(call, { ...entry, recordAudit }, (options) =>
        knowledge.linkSource(link, options),
      );
      return link;
    },
  }),
  list('/v1/agents/{id}/knowledge', {
    id: 'listAgentKnowledge',
    summary: 'List the sources that an agent reads, newest first',
    ids: { id: AGENT_ID },
    returns: 'The sources',
    schema: SOURCES,
    cursorId: SOURCE_ID,
    run: ({ ids, page, options }) =>
      knowledge.listAgentSources({ agentId: ids.id, ...page }, options),
  }),
  remove('/v1/agents/{id}/knowledge/{sourceId}', {
    id: 'unlinkKnowledgeSource',
    summary: 'Take a source from an agent; the source stays, and so do its other links',
    ids: { id: AGENT_ID },
    returns: 'The agent reads it no more',
    errors: linkErrors,
    run: ({ call, ids }) => {
      const sourceId = SOURCE_ID.read(call.params.sourceId, 'sourceId');
      const action = 'knowledge_source.unlinked';
      const entry = { action, subject: sourceId, detail: ids.id, recordAudit } as const;
      return runAudited(call, entry, (options) =>
        knowledge.unlinkSource({ agentId: ids.id, sourceId }, options),
      );
    },
  }),
];

const addDocument = async (
  knowledge: Knowledge,
  { call, ids, options }: NativeCall<typeof NEW_DOCUMENT, { id: typeof SOURCE_ID }>,
): Promise<Reply> => {
  const upload = await readDocumentUpload(call);
  // Only the decoded upload is used from here on.
  freeBody(call);
  const messages = toMessages(ids.id, upload);
  const uploadOptions = { ...options, timeoutMs: ADD_DOCUMENT_TIMEOUT_MS };
  for await (const response of knowledge.addDocument(messages, uploadOptions)) {
    const status = response.document!.status === 'ready' ? 201 : 202;
    return { status, json: encodeAs(DOCUMENT, response) };
  }
  throw new Error('The agents service ended without a document.');
};

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
