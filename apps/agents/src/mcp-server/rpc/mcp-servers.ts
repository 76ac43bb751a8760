import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { McpServerSchema, McpToolDefinitionSchema } from '@witan/contracts';
import type { McpServerService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { ToolDefinition } from '../../tool/mcp-target.ts';
import type { McpServerWithTools } from '../mcp-server.ts';
import type { McpServers } from '../mcp-servers.ts';

export const createMcpServerHandlers = (
  servers: McpServers,
): Handlers<typeof McpServerService> => ({
  createMcpServer: async ({ name, url, headers }, { workspaceId, signal }) => {
    const draft = { name, url, headers: { ...headers } };
    return { server: toServer(await servers.create(draft, { workspaceId, signal })) };
  },
  listMcpServers: async (page, { workspaceId }) => {
    const { items, nextCursor } = await servers.list(workspaceId, page);
    return { servers: items.map(toServer), nextCursor };
  },
  getMcpServer: async ({ id }, { workspaceId }) => ({
    server: toServer(await servers.get(workspaceId, id)),
  }),
  deleteMcpServer: async ({ id }, { workspaceId }) => {
    await servers.remove(workspaceId, id);
    return {};
  },
  refreshMcpServer: async ({ id }, { workspaceId, signal }) => ({
    server: toServer(await servers.refresh(id, { workspaceId, signal })),
  }),
  acceptMcpServer: async ({ id, snapshotHash }, { workspaceId }) => ({
    server: toServer(await servers.accept(workspaceId, { id, snapshotHash })),
  }),
});

const toServer = ({
  createdAt,
  refreshedAt,
  headerNames,
  tools,
  ...server
}: McpServerWithTools): MessageInitShape<typeof McpServerSchema> => ({
  ...server,
  headerNames: [...headerNames],
  createdAt: timestampFromDate(createdAt),
  refreshedAt: timestampFromDate(refreshedAt),
  tools: tools
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ accepted, listed, id, name, state, problem }) => ({
      ...{ id, name, state, problem },
      ...(accepted && { accepted: toDefinition(accepted) }),
      ...(listed && { listed: toDefinition(listed) }),
    })),
});

const toDefinition = ({
  headerParams,
  ...definition
}: ToolDefinition): MessageInitShape<typeof McpToolDefinitionSchema> => ({
  ...definition,
  headerParams: headerParams.map(({ path, header }) => ({ path: [...path], header })),
});
