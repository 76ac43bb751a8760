import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type {
  AddDocumentMessage,
  DocumentHead,
  KnowledgeDocumentSchema,
  KnowledgeSourceSchema,
  PassageSchema,
} from '@witan/contracts';
import type { KnowledgeService } from '@witan/contracts/services';
import type { Call, Handlers } from '@witan/service-kit';
import type { AddDocument, DocumentDraft } from '../add-document.ts';
import { tooManyBytes } from '../documents/document-refusals.ts';
import { MAX_DOCUMENT_BYTES } from '../documents/document-text.ts';
import type { KnowledgeDocument, Knowledge, Source } from '../knowledge.ts';
import { PASSAGES_MAX, renderPassages } from '../passage.ts';
import type { Passage, Retrieve } from '../passage.ts';
import type { SearchKnowledge } from '../retrieve.ts';
import type { UploadBuffer, UploadSlot } from '../upload-buffer.ts';

type KnowledgeHandlerDeps = {
  knowledge: Knowledge;
  addDocument: AddDocument;
  buffer: UploadBuffer;
  search: SearchKnowledge;
  retrieve: Retrieve;
};

export const createKnowledgeHandlers = ({
  knowledge,
  addDocument,
  buffer,
  search,
  retrieve,
}: KnowledgeHandlerDeps): Handlers<typeof KnowledgeService> => ({
  createSource: async ({ name, description }, { workspaceId }) => ({
    source: toSource(await knowledge.createSource(workspaceId, { name, description })),
  }),
  listSources: async (page, { workspaceId }) => {
    const { items, nextCursor } = await knowledge.listSources(workspaceId, page);
    return { sources: items.map(toSource), nextCursor };
  },
  getSource: async ({ id }, { workspaceId }) => ({
    source: toSource(await knowledge.getSource(workspaceId, id)),
  }),
  deleteSource: async ({ id }, { workspaceId }) => {
    await knowledge.removeSource(workspaceId, id);
    return {};
  },
  addDocument: async function* (messages, call) {
    const document = await receiveDocument(messages, call, { knowledge, addDocument, buffer });
    yield { document: toDocument(document) };
  },
  listDocuments: async ({ sourceId, ...page }, { workspaceId }) => {
    const { items, nextCursor } = await knowledge.listDocuments(workspaceId, sourceId, page);
    return { documents: items.map(toDocument), nextCursor };
  },
  deleteDocument: async ({ id }, { workspaceId }) => {
    await knowledge.removeDocument(workspaceId, id);
    return {};
  },
  linkSource: async ({ agentId, sourceId }, { workspaceId }) => {
    await knowledge.link(workspaceId, { agentId, sourceId });
    return {};
  },
  unlinkSource: async ({ agentId, sourceId }, { workspaceId }) => {
    await knowledge.unlink(workspaceId, { agentId, sourceId });
    return {};
  },
  listAgentSources: async ({ agentId, ...page }, { workspaceId }) => {
    const { items, nextCursor } = await knowledge.listOfAgent(workspaceId, agentId, page);
    return { sources: items.map(toSource), nextCursor };
  },
  search: async ({ query, sourceIds, limit }, { workspaceId }) => ({
    passages: (await search(workspaceId, { query, sourceIds, limit })).map(toPassage),
  }),
  retrieve: async ({ query: text, embeddingAllowed }, { workspaceId }) => {
    const query = { text, limit: PASSAGES_MAX, isLocal: !embeddingAllowed };
    const passages = await retrieve(workspaceId, query);
    return { passages: passages.map(toPassage), preamble: renderPassages(passages) };
  },
});

/**
 * Receives a streamed upload and adds it. Checks that the source exists before it buffers content,
 * and throws if the upload exceeds the maximum size or the budget of the buffer.
 */
const receiveDocument = async (
  messages: AsyncIterable<AddDocumentMessage>,
  { workspaceId, signal }: Call,
  {
    knowledge,
    addDocument,
    buffer,
  }: Pick<KnowledgeHandlerDeps, 'knowledge' | 'addDocument' | 'buffer'>,
): Promise<KnowledgeDocument> => {
  const slot = buffer.open(workspaceId);
  try {
    const checkSource = (sourceId: string) => knowledge.getSource(workspaceId, sourceId);
    const draft = await readUpload(messages, { checkSource, slot });
    return await addDocument(workspaceId, draft, signal);
  } finally {
    slot.release();
  }
};

type UploadDeps = { checkSource: (sourceId: string) => Promise<unknown>; slot: UploadSlot };

const readUpload = async (
  messages: AsyncIterable<AddDocumentMessage>,
  { checkSource, slot }: UploadDeps,
): Promise<DocumentDraft> => {
  let head: DocumentHead | undefined;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const { message } of messages) {
    if (message.case === 'head' && !head) {
      head = message.value;
      await checkSource(head.sourceId);
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

const toSource = ({
  createdAt,
  agents,
  ...source
}: Source): MessageInitShape<typeof KnowledgeSourceSchema> => ({
  ...source,
  createdAt: timestampFromDate(createdAt),
  agents: [...agents],
});

const toDocument = ({
  createdAt,
  pageCount,
  size,
  ...document
}: KnowledgeDocument): MessageInitShape<typeof KnowledgeDocumentSchema> => ({
  ...document,
  size: BigInt(size),
  pageCount: pageCount ?? undefined,
  createdAt: timestampFromDate(createdAt),
});

const toPassage = ({ page, ...passage }: Passage): MessageInitShape<typeof PassageSchema> => ({
  ...passage,
  page: page ?? undefined,
});
