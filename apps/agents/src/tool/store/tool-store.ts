import { conflict } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { lockUntilCommit, workspaceScope } from '@witan/service-kit';
import type { Database, EncryptedTable, SecretCipher, Transaction } from '@witan/service-kit';
import type { FindToolTarget, LinkedAgent, LinkedTool, Tool, ToolStore } from '../tool.ts';
import type { McpTarget, ToolDefinition } from '../mcp-target.ts';
import { rejectDuplicates } from '../../agent/store/agent-store.ts';
import { unknownAgents } from '../tools.ts';
import { defineEntity, p } from '@mikro-orm/core';

export const ToolEntity = defineEntity({
  name: 'Tool',
  tableName: 'tool',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    name: p.text(),
    description: p.text(),
    parameters: p.text(),
    url: p.text(),
    isActive: p.boolean(),
    encryptedSecret: p.text().fieldName('sealed_secret'),
    createdAt: p.datetime(),
    mcpServerId: p.string().nullable(),
    mcpActive: p.boolean().nullable(),
  },
});

/** Creates the store of tools. It encrypts and writes secrets but never reads them. */
export const createToolStore = (database: Database, secretCipher: SecretCipher): ToolStore => ({
  insert: (workspaceId, { secret, ...tool }, { agentIds, max }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const agents = await lockAgents(em, workspaceId, agentIds);
      // Serializes concurrent inserts of a workspace, so that none exceeds the limit of tools.
      await lockUntilCommit(em, `tools of ${workspaceId}`);
      await checkToolCount(em, workspaceId, { added: 1, max });
      const encryptedSecret = secretCipher.encrypt(secret, contextOf(workspaceId, tool.id));
      const row = { mcpServerId: null, mcpActive: null, ...tool, workspaceId, encryptedSecret };
      await rejectDuplicates(em.insert(ToolEntity, row), nameTaken);
      const links = JSON.stringify(agents.map(({ id }) => id));
      await em.execute(LINK_ALL, [workspaceId, tool.id, links]);
      return { ...tool, agents };
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const where = { workspaceId, ...(after === undefined ? {} : { id: { $lt: after } }) };
      const rows = await em.find(ToolEntity, where, { orderBy: { id: 'desc' }, limit });
      return rows.map(toTool);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), (em) => findLinked(em, workspaceId, id)),
  update: (workspaceId, id, { secret, ...change }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const encryptedSecret = secret && secretCipher.encrypt(secret, contextOf(workspaceId, id));
      const columns = { ...change, encryptedSecret };
      const changedColumns = Object.entries(columns).filter(([, value]) => value !== undefined);
      if (changedColumns.length > 0) {
        const data = Object.fromEntries(changedColumns);
        const updating = em.nativeUpdate(ToolEntity, { workspaceId, id, mcpServerId: null }, data);
        await rejectDuplicates(updating, nameTaken);
      }
      if (change.isActive !== undefined) {
        const where = { workspaceId, id, mcpServerId: { $ne: null } };
        await em.nativeUpdate(ToolEntity, where, { mcpActive: change.isActive });
      }
      return findLinked(em, workspaceId, id);
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      return (await em.nativeDelete(ToolEntity, { workspaceId, id })) > 0;
    }),
});

/**
 * Throws CONFLICT `tool_limit_reached` if a workspace may not have `added` more tools. Those that
 * an MCP server lists count once they are accepted, so that a server cannot use up the limit.
 */
export const checkToolCount = async (
  em: Transaction,
  workspaceId: string,
  { added, max }: { added: number; max: number },
): Promise<void> => {
  if (added === 0) return;
  const [{ count }] = await em.execute<[{ count: number }]>(COUNT, [workspaceId]);
  if (count + added <= max) return;
  const message = `This workspace may have ${max} tools; delete some first.`;
  throw conflict(message, { code: 'tool_limit_reached' });
};

const COUNT = `
  SELECT count(*)::integer AS count FROM tool
  WHERE workspace_id = ? AND (mcp_server_id IS NULL OR mcp_accepted IS NOT NULL)`;

export const createFindToolTarget =
  (database: Database, secretCipher: SecretCipher): FindToolTarget =>
  async (workspaceId, { toolId, agentId }) => {
    const [row] = await database.query<TargetRow>({
      name: 'find_tool_target',
      text: `SELECT id, name, description, parameters, url,
        coalesce(mcp_active, is_active) AS "isActive", created_at AS "createdAt",
        sealed_secret AS encrypted, mcp_server_id AS "mcpServerId",
        mcp_name AS "mcpName", mcp_state AS "mcpState", mcp_accepted AS "mcpAccepted"
        FROM find_tool_target($1, $2, $3)`,
      values: [workspaceScope(workspaceId).setting, toolId, agentId ?? null],
    });
    if (!row) return undefined;
    const { encrypted, mcpName, mcpState, mcpAccepted, ...tool } = row;
    const mcpServer = toMcpTarget({ ...tool, mcpName, mcpState, mcpAccepted });
    const secret = openSecret(secretCipher, { encrypted, context: contextOf(workspaceId, toolId) });
    return { ...tool, secret, ...(mcpServer && { mcpServer }) };
  };

type TargetRow = Tool & McpColumns & { encrypted: string };

type McpColumns = {
  mcpName: string | null;
  mcpState: McpTarget['state'] | null;
  mcpAccepted: string | null;
};

const toMcpTarget = ({
  mcpServerId,
  mcpName,
  mcpState,
  mcpAccepted,
}: Pick<Tool, 'mcpServerId'> & McpColumns): McpTarget | undefined => {
  if (!mcpServerId) return undefined;
  const accepted = mcpAccepted === null ? undefined : (JSON.parse(mcpAccepted) as ToolDefinition);
  return {
    serverId: mcpServerId,
    mcpName: mcpName!,
    state: mcpState!,
    headerParams: accepted?.headerParams ?? [],
  };
};

const openSecret = (
  secretCipher: SecretCipher,
  { encrypted, context }: { encrypted: string; context: string },
): string | undefined => {
  try {
    return secretCipher.decrypt(encrypted, context);
  } catch {
    return undefined;
  }
};

/**
 * Returns the associated data of a secret's encryption: it binds the secret to its tool and
 * workspace, so that a copy in another row cannot be decrypted.
 */
export const contextOf = (workspaceId: string, toolId: string): string =>
  `tool:${workspaceId}:${toolId}`;

export const ENCRYPTED_TOOLS: EncryptedTable = {
  table: 'tool',
  key: 'id',
  columns: ['sealed_secret'],
  contextOf,
};

const lockAgents = async (
  em: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<LinkedAgent[]> => {
  if (ids.length === 0) return [];
  const agents = await em.execute<LinkedAgent[]>(LOCK_AGENTS, [workspaceId, JSON.stringify(ids)]);
  const found = new Set(agents.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw unknownAgents(missing);
  return agents.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/**
 * Locks agents against deletion in the order of their ids, so that two transactions cannot
 * deadlock.
 */
const LOCK_AGENTS = `
  SELECT id, name FROM agent
  WHERE workspace_id = ? AND id IN (SELECT jsonb_array_elements_text(?::jsonb))
  ORDER BY id FOR KEY SHARE`;

const LINK_ALL = `
  INSERT INTO agent_tool (workspace_id, tool_id, agent_id)
  SELECT ?, ?, jsonb_array_elements_text(?::jsonb)`;

export const nameTaken = (): ServiceError => {
  const message = 'Another tool of this workspace has this name.';
  return conflict(message, { code: 'name_taken', param: 'name' });
};

const findLinked = async (
  em: Transaction,
  workspaceId: string,
  id: string,
): Promise<LinkedTool | undefined> => {
  const row = await em.findOne(ToolEntity, { workspaceId, id });
  if (!row) return undefined;
  const agents = await em.execute<LinkedAgent[]>(FIND_AGENTS_OF_TOOL, [workspaceId, id]);
  return { ...toTool(row), agents };
};

const FIND_AGENTS_OF_TOOL = `
  SELECT agent.id, agent.name FROM agent JOIN agent_tool ON agent_tool.agent_id = agent.id
  WHERE agent_tool.workspace_id = ? AND agent_tool.tool_id = ?
  ORDER BY agent.name COLLATE "C", agent.id`;

const toTool = (row: Tool & { mcpActive?: boolean | null }): Tool => ({
  id: row.id,
  name: row.name,
  description: row.description,
  parameters: row.parameters,
  url: row.url,
  isActive: row.mcpActive ?? row.isActive,
  createdAt: row.createdAt,
  mcpServerId: row.mcpServerId ?? null,
});
