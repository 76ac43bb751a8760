import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/api.ts';
import type { components } from '../../../gen/api.ts';
import { TOOLS_KEY } from '../tools/tools-query.ts';

export type McpServer = components['schemas']['McpServerAnswer']['server'];
export type McpTool = McpServer['tools'][number];
export type NewServer = components['schemas']['CreateMcpServerRequest'];

const SERVERS_KEY = ['mcp-servers'] as const;

/** Keys of the queries that a change of a server makes outdated: agents show its tools, too. */
export const KEYS_OF_SERVERS = [SERVERS_KEY, TOOLS_KEY, ['agent']] as const;

/** All MCP servers of the workspace, newest first. */
export const mcpServersQuery = infiniteQueryOptions({
  queryKey: SERVERS_KEY,
  queryFn: ({ pageParam, signal }) =>
    dataOf(api.GET('/v1/mcp-servers', { params: { query: { cursor: pageParam } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export const addServer = (body: NewServer) => dataOf(api.POST('/v1/mcp-servers', { body }));

const pathOf = (id: string) => ({ params: { path: { id } } });

export const refreshServer = (id: string) =>
  dataOf(api.POST('/v1/mcp-servers/{id}/refresh', pathOf(id)));

export const acceptServer = ({ id, snapshotHash }: Pick<McpServer, 'id' | 'snapshotHash'>) =>
  dataOf(api.POST('/v1/mcp-servers/{id}/accept', { ...pathOf(id), body: { snapshotHash } }));

export const deleteServer = (id: string) => dataOf(api.DELETE('/v1/mcp-servers/{id}', pathOf(id)));
