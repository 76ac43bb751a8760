import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type Source = Schemas['ListKnowledgeSourcesAnswer']['sources'][number];
export type KnowledgeDocument = Schemas['ListKnowledgeDocumentsAnswer']['documents'][number];
export type Passage = Schemas['SearchKnowledgeAnswer']['passages'][number];

/** As many sources as a workspace may have, so one page contains all. */
const SOURCES_MAX = 100;
const PAGE = 50;
const PASSAGES = 8;
/** How often documents that are processed are read again, in milliseconds. */
const PROCESSING_POLL_MS = 2_000;

/** The sources that the agent reads, newest first. */
export const sourcesQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'sources'],
    queryFn: async ({ signal }) => {
      const params = { path: { id: agentId }, query: { limit: SOURCES_MAX } };
      return (await dataOf(api.GET('/v1/agents/{id}/knowledge', { params, signal }))).sources;
    },
  });

/** All sources of the workspace, newest first. */
export const allSourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: SOURCES_MAX } };
    return (await dataOf(api.GET('/v1/knowledge/sources', { params, signal }))).sources;
  },
});

/** The documents of a source, newest first; read again until none is processed. */
export const documentsQuery = (sourceId: string) =>
  infiniteQueryOptions({
    queryKey: ['documents', sourceId],
    queryFn: ({ pageParam: cursor, signal }) => {
      const params = { path: { id: sourceId }, query: { limit: PAGE, cursor } };
      return dataOf(api.GET('/v1/knowledge/sources/{id}/documents', { params, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state: { data } }) => {
      const documents = data?.pages.flatMap((page) => page.documents) ?? [];
      return documents.some(({ status }) => status === 'processing') && PROCESSING_POLL_MS;
    },
  });

export const createSource = async (name: string): Promise<{ id: string }> =>
  (await dataOf(api.POST('/v1/knowledge/sources', { body: { name } }))).source;

export const linkSource = (agentId: string, sourceId: string) =>
  dataOf(
    api.POST('/v1/agents/{id}/knowledge', {
      params: { path: { id: agentId } },
      body: { sourceId },
    }),
  );

export const unlinkSource = (agentId: string, sourceId: string) =>
  dataOf(
    api.DELETE('/v1/agents/{id}/knowledge/{sourceId}', {
      params: { path: { id: agentId, sourceId } },
    }),
  );

/** Uploads a file; its format is recognised by its content and its name. */
export const uploadDocument = async (sourceId: string, file: File): Promise<KnowledgeDocument> => {
  const { document } = await dataOf(
    api.POST('/v1/knowledge/sources/{id}/documents', {
      params: { path: { id: sourceId } },
      headers: {
        'content-type': 'application/octet-stream',
        'x-file-name': encodeURIComponent(file.name),
      },
      // The type describes a binary body as a text.
      body: file as unknown as string,
      bodySerializer: (body) => body as unknown as Blob,
    }),
  );
  return document;
};

export const deleteDocument = (id: string) =>
  dataOf(api.DELETE('/v1/knowledge/documents/{id}', { params: { path: { id } } }));

export const searchPassages = async (
  query: string,
  sourceIds: readonly string[],
): Promise<Passage[]> => {
  const body = { query, sourceIds: [...sourceIds], limit: PASSAGES };
  return (await dataOf(api.POST('/v1/knowledge/search', { body }))).passages;
};
