import { notFound, readPage } from '@witan/contracts';
import type { ErrorFields, Page, PageQuery, PageRequest, ServiceError } from '@witan/contracts';
import { checkNotEmpty, checkText } from '../agent/agent.ts';

export type Source = {
  id: string;
  name: string;
  description: string;
  createdAt: Date;
  documentCount: number;
  /** Agents linked to the source, sorted by name; always empty in lists of sources. */
  agents: readonly { id: string; name: string }[];
};

type DocumentStatus = 'processing' | 'ready' | 'failed';

export type KnowledgeDocument = {
  id: string;
  sourceId: string;
  title: string;
  mediaType: string;
  status: DocumentStatus;
  error: string;
  /** Size of the uploaded file, in bytes. */
  size: number;
  /** Number of pages; null if the document has no pages or is not read yet. */
  pageCount: number | null;
  chunkCount: number;
  createdAt: Date;
};

export type KnowledgeStore = {
  /**
   * Inserts a source. Rejects with CONFLICT `name_taken`, or with `source_limit_reached` if the
   * workspace already has `max` sources.
   */
  insertSource: (
    workspaceId: string,
    source: Pick<Source, 'id' | 'name' | 'description' | 'createdAt'>,
    max: number,
  ) => Promise<void>;
  /** Lists sources, newest first; `after` is the last id of the previous page. */
  listSources: (workspaceId: string, pageQuery: PageQuery) => Promise<Source[]>;
  findSource: (workspaceId: string, id: string) => Promise<Source | undefined>;
  /** Hides the source from searches immediately; its rows are purged later. */
  deleteSource: (workspaceId: string, id: string) => Promise<boolean>;
  listDocuments: (
    workspaceId: string,
    sourceId: string,
    pageQuery: PageQuery,
  ) => Promise<KnowledgeDocument[] | undefined>;
  deleteDocument: (workspaceId: string, id: string) => Promise<boolean>;
  link: (workspaceId: string, sourceLink: SourceLink) => Promise<void>;
  unlink: (workspaceId: string, sourceLink: SourceLink) => Promise<void>;
  /** Lists the sources of an agent; rejects with NOT_FOUND if there is no such agent. */
  listOfAgent: (workspaceId: string, agentId: string, pageQuery: PageQuery) => Promise<Source[]>;
};

type SourceLink = { agentId: string; sourceId: string };

export type Knowledge = ReturnType<typeof createKnowledge>;

type KnowledgeDeps = {
  store: KnowledgeStore;
  onDeleted: () => void;
  newId: (prefix: string) => string;
  clock: () => Date;
};

/** Maximum number of sources of a workspace. */
export const SOURCES_MAX = 100;
const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 1_000;

export const createKnowledge = ({ store, onDeleted, newId, clock }: KnowledgeDeps) => ({
  /**
   * Creates a source. Rejects with INVALID_REQUEST for an invalid name or description, and with
   * CONFLICT `name_taken` or `source_limit_reached`.
   */
  createSource: async (
    workspaceId: string,
    draft: Pick<Source, 'name' | 'description'>,
  ): Promise<Source> => {
    const name = draft.name.trim();
    checkNotEmpty(name, 'name');
    checkText(name, { param: 'name', max: NAME_LENGTH_MAX });
    const { description } = draft;
    checkText(description, { param: 'description', max: DESCRIPTION_LENGTH_MAX });
    const source = { id: newId('kns'), name, description, createdAt: clock() };
    await store.insertSource(workspaceId, source, SOURCES_MAX);
    return { ...source, documentCount: 0, agents: [] };
  },
  listSources: (workspaceId: string, page: PageRequest): Promise<Page<Source>> =>
    readPage(page, (query) => store.listSources(workspaceId, query)),
  getSource: async (workspaceId: string, id: string): Promise<Source> =>
    (await store.findSource(workspaceId, id)) ?? throwNotFound(),
  removeSource: async (workspaceId: string, id: string): Promise<void> => {
    if (!(await store.deleteSource(workspaceId, id))) throwNotFound();
    onDeleted();
  },
  listDocuments: (
    workspaceId: string,
    sourceId: string,
    page: PageRequest,
  ): Promise<Page<KnowledgeDocument>> =>
    readPage(
      page,
      async (query) => (await store.listDocuments(workspaceId, sourceId, query)) ?? throwNotFound(),
    ),
  removeDocument: async (workspaceId: string, id: string): Promise<void> => {
    if (await store.deleteDocument(workspaceId, id)) return;
    throw notFound('There is no such document in this workspace.');
  },
  link: store.link,
  unlink: store.unlink,
  listOfAgent: (workspaceId: string, agentId: string, page: PageRequest): Promise<Page<Source>> =>
    readPage(page, (query) => store.listOfAgent(workspaceId, agentId, query)),
});

const throwNotFound = (): never => {
  throw noSuchSource();
};

export const noSuchSource = (fields?: ErrorFields): ServiceError =>
  notFound('There is no such source in this workspace.', fields);
