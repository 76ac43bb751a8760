import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import { noSuchAgent } from '../../agent/agents.ts';
import type { Tool, ToolLinkStore } from '../tool.ts';
import { noSuchTool } from '../tools.ts';
import { AgentEntity, lockAgent } from '../../agent/store/agent-store.ts';

type AgentTool = { agentId: string; toolId: string };

export const createToolLinkStore = (database: Database): ToolLinkStore => ({
  link: (workspaceId, ids) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await lockAgentAndTool(em, workspaceId, ids);
      await em.execute(LINK, [workspaceId, ids.agentId, ids.toolId]);
    }),
  unlink: (workspaceId, ids) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await lockAgentAndTool(em, workspaceId, ids);
      await em.execute(UNLINK, [workspaceId, ids.agentId, ids.toolId]);
    }),
  list: (workspaceId, agentId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      if ((await em.count(AgentEntity, { workspaceId, id: agentId })) === 0) throw noSuchAgent();
      const params = [workspaceId, agentId, after ?? null, after ?? null, limit];
      const rows = await em.execute<ToolRow[]>(LIST, params);
      return rows.map(toTool);
    }),
  // Runs in chat turns, so it is one call of a prepared function, which also sets the scope of
  // row-level security.
  findLinked: (workspaceId, agentId) =>
    database.query({
      name: 'find_agent_tools',
      text: `SELECT id, name, description, parameters, is_active AS "isActive"
        FROM find_agent_tools($1, $2)`,
      values: [workspaceScope(workspaceId).setting, agentId],
    }),
});

const lockAgentAndTool = async (
  em: Transaction,
  workspaceId: string,
  { agentId, toolId }: AgentTool,
): Promise<void> => {
  if (!(await lockAgent(em, { workspaceId, agentId }))) throw noSuchAgent();
  const locked = await em.execute<object[]>(LOCK_TOOL, [workspaceId, toolId]);
  if (locked.length === 0) throw noSuchTool({ param: 'toolId' });
};

const LOCK_TOOL = 'SELECT id FROM tool WHERE workspace_id = ? AND id = ? FOR KEY SHARE';

const LINK = `
  INSERT INTO agent_tool (workspace_id, agent_id, tool_id) VALUES (?, ?, ?)
  ON CONFLICT (agent_id, tool_id) DO NOTHING`;

const UNLINK = 'DELETE FROM agent_tool WHERE workspace_id = ? AND agent_id = ? AND tool_id = ?';

const LIST = `
  SELECT tool.id, name, description, parameters, url,
    coalesce(mcp_active, is_active) AS "isActive", created_at AS "createdAt",
    mcp_server_id AS "mcpServerId"
  FROM tool JOIN agent_tool ON agent_tool.tool_id = tool.id
  WHERE agent_tool.workspace_id = ? AND agent_id = ? AND (?::text IS NULL OR tool.id < ?)
  ORDER BY tool.id DESC LIMIT ?`;

type ToolRow = Omit<Tool, 'createdAt'> & { createdAt: string };

const toTool = ({ createdAt, ...tool }: ToolRow): Tool => ({
  ...tool,
  createdAt: new Date(createdAt),
});
