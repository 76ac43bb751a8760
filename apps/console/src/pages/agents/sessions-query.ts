import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type ListedSession = Schemas['ListSessionsAnswer']['sessions'][number];
export type Session = Schemas['GetSessionAnswer']['session'];
export type SessionMessage = Session['messages'][number];

const PAGE = 50;

/** The sessions of an agent, latest activity first. */
export const sessionsQuery = (agentId: string) =>
  infiniteQueryOptions({
    queryKey: ['agent', agentId, 'sessions'],
    queryFn: ({ pageParam: cursor, signal }) => {
      const params = { path: { id: agentId }, query: { limit: PAGE, cursor } };
      return dataOf(api.GET('/v1/agents/{id}/sessions', { params, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const sessionQuery = (agentId: string, sid: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'session', sid],
    queryFn: async ({ signal }) => {
      const params = { path: { id: agentId, sid } };
      const path = '/v1/agents/{id}/sessions/{sid}';
      return (await dataOf(api.GET(path, { params, signal }))).session;
    },
  });

export const deleteSession = async (agentId: string, sid: string): Promise<void> => {
  const params = { path: { id: agentId, sid } };
  await dataOf(api.DELETE('/v1/agents/{id}/sessions/{sid}', { params }));
};
