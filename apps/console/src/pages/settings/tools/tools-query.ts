import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/api.ts';
import { toolKey } from '../../../api/tool-links.ts';
import type { components } from '../../../gen/api.ts';

type Schemas = components['schemas'];
export type ListedTool = Schemas['ToolsAnswer']['tools'][number];
export type Tool = Schemas['ToolAnswer']['tool'];
export type ToolTest = Schemas['TestToolAnswer'];
/** `parameters` is a JSON Schema, and the schema of the API leaves it open. */
export type ToolDraft = Omit<Schemas['CreateToolRequest'], 'parameters'> & { parameters: object };
export type ToolChange = Partial<ToolDraft> & { isActive?: boolean };

const pathOf = (id: string) => ({ params: { path: { id } } });

/** Key of all queries of tools. */
export const TOOLS_KEY = ['tools'] as const;

/** All tools of the workspace, newest first. */
export const toolsQuery = infiniteQueryOptions({
  queryKey: [...TOOLS_KEY, 'list'],
  queryFn: ({ pageParam, signal }) =>
    dataOf(api.GET('/v1/tools', { params: { query: { cursor: pageParam } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

/** A tool with the agents that may call it. */
export const toolQuery = (id: string) =>
  queryOptions({
    queryKey: toolKey(id),
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/v1/tools/{id}', { ...pathOf(id), signal }))).tool,
  });

/** Most agents that one call of the API returns. */
const AGENTS_MAX = 500;

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'names'],
  queryFn: async ({ signal }) => {
    const query = { limit: AGENTS_MAX };
    return (await dataOf(api.GET('/v1/agents', { params: { query }, signal }))).agents;
  },
});

export const createTool = (body: ToolDraft) =>
  dataOf(api.POST('/v1/tools', { body: body as never }));

export const changeTool = (id: string, body: ToolChange) =>
  dataOf(api.PATCH('/v1/tools/{id}', { ...pathOf(id), body: body as never }));

export const deleteTool = (id: string) => dataOf(api.DELETE('/v1/tools/{id}', pathOf(id)));

export const rotateToolSecret = (id: string) =>
  dataOf(api.POST('/v1/tools/{id}/rotate-secret', pathOf(id)));

/** Calls the tool once, with arguments as a model would give them. */
export const testTool = (id: string, input: object) =>
  dataOf(api.POST('/v1/tools/{id}/test', { ...pathOf(id), body: { arguments: input as never } }));
