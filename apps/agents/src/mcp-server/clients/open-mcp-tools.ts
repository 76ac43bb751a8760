import { createMcpServers } from '../mcp-servers.ts';
import type { McpServersDeps } from '../mcp-servers.ts';
import { createRunMcpTool } from '../run-mcp-tool.ts';
import { createMcpClient } from './mcp-client.ts';
import { shareRefresh } from './share-refresh.ts';

type McpToolsDeps = Omit<McpServersDeps, 'client'>;

/** Opens the client of MCP servers, and creates what registers them and calls their tools. */
export const openMcpTools = (
  deps: McpToolsDeps,
  options: Parameters<typeof createMcpClient>[0],
) => {
  const client = createMcpClient(options);
  const servers = createMcpServers({ ...deps, client });
  return {
    servers,
    runMcp: createRunMcpTool({
      findEndpoint: deps.findEndpoint,
      client,
      refresh: shareRefresh(servers.refresh),
      clock: deps.ids.clock,
    }),
    close: client.close,
  };
};
