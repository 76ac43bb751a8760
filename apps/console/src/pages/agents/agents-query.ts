import { infiniteQueryOptions, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type Agent = Schemas['AgentAnswer']['agent'];
export type UpdatedAgent = Schemas['UpdateAgentAnswer'];
export type NewAgent = Schemas['CreateAgentRequest'];
export type AgentChange = Schemas['UpdateAgentRequest'];

const PAGE = 100;

/** The agents of the workspace, newest first. */
export const agentsQuery = infiniteQueryOptions({
  queryKey: ['agents'],
  queryFn: ({ pageParam: cursor, signal }) =>
    dataOf(api.GET('/v1/agents', { params: { query: { limit: PAGE, cursor } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export const pathOf = (id: string) => ({ params: { path: { id } } });

export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: ['agent', id],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/v1/agents/{id}', { ...pathOf(id), signal }))).agent,
  });

/** Returns the agent that the frame of its pages has loaded. */
export const useAgent = (id: string): Agent => useSuspenseQuery(agentQuery(id)).data;

export const createAgent = async (body: NewAgent): Promise<Agent> =>
  (await dataOf(api.POST('/v1/agents', { body }))).agent;

export const updateAgent = (id: string, body: AgentChange): Promise<UpdatedAgent> =>
  dataOf(api.PATCH('/v1/agents/{id}', { ...pathOf(id), body }));

export const deleteAgent = async (id: string): Promise<void> => {
  await dataOf(api.DELETE('/v1/agents/{id}', pathOf(id)));
};
