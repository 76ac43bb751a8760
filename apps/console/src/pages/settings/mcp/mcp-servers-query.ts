import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/api.ts';
import type { components } from '../../../gen/api.ts';

export type McpServer = components['schemas']['McpServerAnswer']['server'];
export type McpTool = McpServer['tools'][number];

/** All MCP servers of the workspace, newest first. */
export const mcpServersQuery = infiniteQueryOptions({
  queryKey: ['mcp-servers'],
  queryFn: ({ pageParam, signal }) =>
    dataOf(api.GET('/v1/mcp-servers', { params: { query: { cursor: pageParam } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

type NewServer = { name: string; url: string; headers?: Record<string, string> };

export const addServer = (body: NewServer) => dataOf(api.POST('/v1/mcp-servers', { body }));

const pathOf = (id: string) => ({ params: { path: { id } } });

export const refreshServer = (id: string) =>
  dataOf(api.POST('/v1/mcp-servers/{id}/refresh', pathOf(id)));

export const acceptServer = ({ id, snapshotHash }: Pick<McpServer, 'id' | 'snapshotHash'>) =>
  dataOf(api.POST('/v1/mcp-servers/{id}/accept', { ...pathOf(id), body: { snapshotHash } }));

export const deleteServer = (id: string) => dataOf(api.DELETE('/v1/mcp-servers/{id}', pathOf(id)));
