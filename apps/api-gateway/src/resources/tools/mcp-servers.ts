import type { McpServerService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { MCP_SERVER_TIMEOUT_MS } from '../../http/route.ts';
import type { Route } from '../../http/route.ts';
import { nativeRoutes } from '../native-routes.ts';
import { MCP_SERVER_ID } from '../resource-id.ts';
import { runAudited } from '../run-audited.ts';
import { MCP_ACCEPTANCE, MCP_SERVER, MCP_SERVERS, NEW_MCP_SERVER } from './mcp-server-schema.ts';

type McpServers = Client<typeof McpServerService>;

const { create, list, get, act, remove } = nativeRoutes('Tools', 'tools');

const SERVERS_PATH = '/v1/mcp-servers';
const PATH = `${SERVERS_PATH}/{id}`;
const ids = { id: MCP_SERVER_ID };

/**
 * Returns the routes of MCP servers. Their paths are not below `/v1/tools`, because
 * `/v1/tools/mcp-servers/{id}` and `/v1/tools/{id}/test` would match the same requests.
 */
export const mcpServerRoutes = (servers: McpServers, recordAudit: RecordAudit): Route[] => [
  createServerRoute(servers, recordAudit),
  list(SERVERS_PATH, {
    id: 'listMcpServers',
    summary: "List the workspace's MCP servers with their tools, newest first",
    returns: 'The servers, without the values of their headers',
    schema: MCP_SERVERS,
    cursorId: MCP_SERVER_ID,
    run: ({ page, options }) => servers.listMcpServers(page, options),
  }),
  get(PATH, {
    id: 'getMcpServer',
    summary: 'One MCP server: each tool as it was accepted, and as the server lists it',
    ids,
    returns: 'The server',
    schema: MCP_SERVER,
    run: ({ ids: serverIds, options }) => servers.getMcpServer(serverIds, options),
  }),
  remove(PATH, {
    id: 'deleteMcpServer',
    summary: 'Delete an MCP server with its tools and their links',
    ids,
    run: ({ call, ids: { id } }) =>
      runAudited(call, { action: 'mcp_server.deleted', subject: id, recordAudit }, (options) =>
        servers.deleteMcpServer({ id }, options),
      ),
  }),
  act(`${PATH}/refresh`, {
    id: 'refreshMcpServer',
    summary: 'Read the tools of an MCP server again; what changed waits to be accepted',
    ids,
    returns: 'The server with its tools as they are now',
    schema: MCP_SERVER,
    errors: { 400: 'The server does not list its tools (mcp_server_failed)' },
    run: ({ ids: serverIds, options }) =>
      servers.refreshMcpServer(serverIds, { ...options, timeoutMs: MCP_SERVER_TIMEOUT_MS }),
  }),
  act(`${PATH}/accept`, {
    id: 'acceptMcpServer',
    summary: 'Accept the tools that an MCP server lists, so that agents are offered them',
    ids,
    body: MCP_ACCEPTANCE,
    returns: 'The server; all of its usable tools are accepted',
    schema: MCP_SERVER,
    errors: {
      409:
        'The server lists other tools than those of the hash (snapshot_changed), or the ' +
        'workspace has 100 tools (tool_limit_reached)',
    },
    run: ({ call, ids: { id }, body: { snapshotHash } }) =>
      runAudited(call, { action: 'mcp_server.accepted', subject: id, recordAudit }, (options) =>
        servers.acceptMcpServer({ id, snapshotHash }, options),
      ),
  }),
];

const createServerRoute = (servers: McpServers, recordAudit: RecordAudit): Route =>
  create(SERVERS_PATH, {
    id: 'createMcpServer',
    summary: 'Register an MCP server as a source of tools, and accept those that it lists',
    body: NEW_MCP_SERVER,
    returns: 'The server with its tools, none of which an agent has yet',
    schema: MCP_SERVER,
    errors: {
      400:
        'The URL is blocked (blocked_address), a header cannot be set, or the server does not ' +
        'list its tools (mcp_server_failed)',
      409:
        'The name is taken (name_taken), the workspace has 20 servers (mcp_server_limit_reached) ' +
        'or 100 tools (tool_limit_reached), or a call with this Idempotency-Key runs or lost its ' +
        'answer',
    },
    run: async ({ call, body: { name, url, headers = {} }, options }) => {
      const { workspaceId, keyId: actor } = call.principal!;
      const audit = (subject: string): Promise<void> =>
        recordAudit([{ workspaceId, action: 'mcp_server.created', subject, actor }]);
      const timed = { ...options, timeoutMs: MCP_SERVER_TIMEOUT_MS };
      const created = await servers
        .createMcpServer({ name, url, headers }, timed)
        .catch(async (error: unknown) => {
          // A client that leaves ends the reading of tools. If the server was stored by then, only
          // its name is known.
          if (call.signal.aborted) await audit(name);
          throw error;
        });
      await audit(created.server!.id);
      return created;
    },
  });
