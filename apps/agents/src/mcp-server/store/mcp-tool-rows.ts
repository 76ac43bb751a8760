import type { SecretCipher, Transaction } from '@witan/service-kit';
import { contextOf, nameTaken } from '../../tool/store/tool-store.ts';
import { rejectDuplicates } from '../../agent/store/agent-store.ts';
import type { McpToolState, ToolDefinition } from '../../tool/mcp-target.ts';
import type { McpServer, McpTool, TakenNames } from '../mcp-server.ts';

export type McpToolRow = {
  id: string;
  serverId: string;
  name: string;
  mcpName: string;
  state: McpToolState;
  accepted: string | null;
  listed: string | null;
  problem: string;
};

/** Returns the rows of the tools of servers by server, ordered by name. */
export const readTools = async (
  em: Transaction,
  workspaceId: string,
  serverIds: readonly string[],
): Promise<ReadonlyMap<string, McpToolRow[]>> => {
  const rows = await em.execute<McpToolRow[]>(SELECT, [workspaceId, JSON.stringify(serverIds)]);
  return Map.groupBy(rows, ({ serverId }) => serverId);
};

/** Returns the names of the tools of a workspace that do not belong to a server. */
export const readTakenNames = async (
  em: Transaction,
  workspaceId: string,
  serverId: string,
): Promise<TakenNames> => {
  const rows = await em.execute<{ name: string }[]>(SELECT_TAKEN, [workspaceId, serverId]);
  return new Set(rows.map(({ name }) => name));
};

export const toMcpTool = ({
  accepted,
  listed,
  serverId: _serverId,
  ...row
}: McpToolRow): McpTool => ({
  ...row,
  accepted: accepted === null ? undefined : (JSON.parse(accepted) as ToolDefinition),
  listed: listed === null ? undefined : (JSON.parse(listed) as ToolDefinition),
});

type Context = {
  workspaceId: string;
  server: Pick<McpServer, 'id' | 'url'>;
  secretCipher: SecretCipher;
};

/** Stores the tools of a server, and deletes its others with their links. */
export const writeTools = async (
  em: Transaction,
  { workspaceId, server, secretCipher }: Context,
  tools: readonly McpTool[],
): Promise<void> => {
  const rows = tools.map(({ accepted, listed, ...tool }) => {
    const shown = accepted ?? listed!;
    return {
      ...tool,
      accepted: accepted === undefined ? null : JSON.stringify(accepted),
      listed: listed === undefined ? null : JSON.stringify(listed),
      description: shown.description,
      parameters: shown.parameters,
      // The column of the secret may not be null; these tools are not signed.
      secret: secretCipher.encrypt('', contextOf(workspaceId, tool.id)),
    };
  });
  const text = JSON.stringify(rows);
  await em.execute(DELETE_OTHERS, [workspaceId, server.id, text]);
  const params = [workspaceId, server.url, server.id, text];
  await rejectDuplicates(em.execute(UPSERT, params), nameTaken);
};

const SELECT = `
  SELECT id, mcp_server_id AS "serverId", name, mcp_name AS "mcpName", mcp_state AS state,
    mcp_accepted AS accepted, mcp_listed AS listed, mcp_problem AS problem
  FROM tool
  WHERE workspace_id = ? AND mcp_server_id IN (SELECT jsonb_array_elements_text(?::jsonb))
  ORDER BY name`;

const SELECT_TAKEN = `
  SELECT name FROM tool WHERE workspace_id = ? AND mcp_server_id IS DISTINCT FROM ?`;

const DELETE_OTHERS = `
  DELETE FROM tool WHERE workspace_id = ? AND mcp_server_id = ?
    AND id NOT IN (SELECT t.id FROM jsonb_to_recordset(?::jsonb) AS t (id text))`;

const UPSERT = `
  INSERT INTO tool (
    workspace_id, url, mcp_server_id, id, name, description, parameters, sealed_secret, is_active,
    mcp_active, mcp_name, mcp_state, mcp_accepted, mcp_listed, mcp_problem
  )
  SELECT ?, ?, ?, t.id, t.name, t.description, t.parameters, t.secret, false,
    true, t."mcpName", t.state, t.accepted, t.listed, t.problem
  FROM jsonb_to_recordset(?::jsonb) AS t (
    id text, name text, description text, parameters text, secret text, "mcpName" text, state text,
    accepted text, listed text, problem text
  )
  ON CONFLICT (id) DO UPDATE SET
    description = excluded.description, parameters = excluded.parameters,
    mcp_state = excluded.mcp_state, mcp_accepted = excluded.mcp_accepted,
    mcp_listed = excluded.mcp_listed, mcp_problem = excluded.mcp_problem`;
