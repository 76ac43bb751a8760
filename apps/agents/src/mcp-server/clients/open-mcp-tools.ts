import type { Log } from '@witan/service-kit';
import { createMcpServers } from '../mcp-servers.ts';
import type { McpServersDeps } from '../mcp-servers.ts';
import { createRunMcpTool } from '../run-mcp-tool.ts';
import { createMcpClient } from './mcp-client.ts';
import { shareRefresh } from './share-refresh.ts';

type McpToolsDeps = Omit<McpServersDeps, 'client'> & { log: Log };

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
      onFailure: (err) =>
        deps.log.error(
          { event: 'mcp_server_refresh_failed', err },
          'The tools of an MCP server could not be read again; its tool was not called',
        ),
    }),
    close: client.close,
  };
};
