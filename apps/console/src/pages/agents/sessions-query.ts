import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import { toTitle } from '../../ui/to-title.ts';
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

/** Creates a session that has the beginning of its first message as its title. */
export const createSession = async (agentId: string, message: string): Promise<string> => {
  const request = { params: { path: { id: agentId } }, body: { title: toTitle(message) } };
  return (await dataOf(api.POST('/v1/agents/{id}/sessions', request))).session.id;
};

export const deleteSession = async (agentId: string, sid: string): Promise<void> => {
  const params = { path: { id: agentId, sid } };
  await dataOf(api.DELETE('/v1/agents/{id}/sessions/{sid}', { params }));
};
