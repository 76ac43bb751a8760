import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  KnowledgeDocumentSchema,
  KnowledgeSourceSchema,
  PassageSchema,
} from '@witan/contracts';
import type { KnowledgeService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { KnowledgeDocument, Knowledge, Source } from '../knowledge.ts';
import { PASSAGES_MAX, renderPassages } from '../passage.ts';
import type { Passage, Retrieve } from '../passage.ts';
import type { SearchKnowledge } from '../retrieve.ts';
import type { AddDocumentStream } from './add-document.ts';

export type KnowledgeHandlerDeps = {
  knowledge: Knowledge;
  addDocument: AddDocumentStream;
  search: SearchKnowledge;
  retrieve: Retrieve;
};

export const createKnowledgeHandlers = ({
  knowledge,
  addDocument,
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
    yield { document: toDocument(await addDocument(messages, call)) };
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
  search: async ({ query, sourceIds, limit }, { workspaceId }) => ({
    passages: (await search(workspaceId, { query, sourceIds, limit })).map(toPassage),
  }),
  retrieve: async ({ query: text }, { workspaceId }) => {
    const passages = await retrieve(workspaceId, { text, limit: PASSAGES_MAX });
    return { passages: passages.map(toPassage), preamble: renderPassages(passages) };
  },
});

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
