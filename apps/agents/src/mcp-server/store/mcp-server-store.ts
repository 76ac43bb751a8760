import { create, toBinary } from '@bufbuild/protobuf';
import { conflict, McpServerChangedSchema, McpToolCalledSchema } from '@witan/contracts';
import { lockUntilCommit, workspaceScope, writeEvent } from '@witan/service-kit';
import type { Database, EncryptedTable, SecretCipher, Transaction } from '@witan/service-kit';
import { rejectDuplicates } from '../../agent/store/agent-store.ts';
import type { CalledTool } from '../../tool/run-tool.ts';
import { checkToolCount } from '../../tool/store/tool-store.ts';
import type {
  FindMcpEndpoint,
  McpServer,
  McpServerStore,
  McpServerWithTools,
  McpTool,
  ServerPlan,
} from '../mcp-server.ts';
import { readTakenNames, readTools, toMcpTool, writeTools } from './mcp-tool-rows.ts';
import type { McpToolRow } from './mcp-tool-rows.ts';

export const createMcpServerStore = (
  database: Database,
  secretCipher: SecretCipher,
): McpServerStore => ({
  insert: (workspaceId, { headers, ...server }, { toTools, serversMax, toolsMax }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // Serializes concurrent inserts of a workspace, so that none exceeds a limit.
      await lockUntilCommit(em, `tools of ${workspaceId}`);
      const [{ count }] = await em.execute<[{ count: number }]>(COUNT, [workspaceId]);
      if (count >= serversMax) {
        const message = `This workspace may have ${serversMax} MCP servers; delete one first.`;
        throw conflict(message, { code: 'mcp_server_limit_reached' });
      }
      const tools = toTools(await readTakenNames(em, workspaceId, server.id));
      await checkToolCount(em, workspaceId, { added: countAccepted(tools), max: toolsMax });
      const sealed = secretCipher.encrypt(
        JSON.stringify(headers),
        contextOf(workspaceId, server.id),
      );
      const row = JSON.stringify({ ...toRow(server), workspaceId, sealedHeaders: sealed });
      await rejectDuplicates(em.execute(INSERT, [row]), nameTaken);
      await writeTools(em, { workspaceId, server, secretCipher }, tools);
      return { ...server, tools };
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const params = [workspaceId, after ?? null, after ?? null, limit];
      const rows = await em.execute<ServerRow[]>(LIST, params);
      const tools = await readTools(
        em,
        workspaceId,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => toServer(row, tools));
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), (em) => findServer(em, workspaceId, id, '')),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const deleted = await em.execute<object[]>(DELETE, [workspaceId, id]);
      return deleted.length > 0;
    }),
  update: (workspaceId, id, { toPlan, toolsMax }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await lockUntilCommit(em, `tools of ${workspaceId}`);
      const current = await findServer(em, workspaceId, id, 'FOR NO KEY UPDATE');
      if (!current) return undefined;
      const plan = toPlan(current, await readTakenNames(em, workspaceId, id));
      const added = countAccepted(plan.tools) - countAccepted(current.tools);
      await checkToolCount(em, workspaceId, { added: Math.max(0, added), max: toolsMax });
      await writePlan(em, { workspaceId, current, secretCipher }, plan);
      return { ...current, ...plan.server, tools: plan.tools };
    }),
});

const countAccepted = (tools: readonly McpTool[]): number =>
  tools.filter(({ accepted }) => accepted !== undefined).length;

const writePlan = async (
  em: Transaction,
  context: { workspaceId: string; current: McpServerWithTools; secretCipher: SecretCipher },
  { server, tools, change }: ServerPlan,
): Promise<void> => {
  const { workspaceId, current, secretCipher } = context;
  const { protocolVersion, snapshotHash, refreshedAt } = server;
  const values = [protocolVersion, snapshotHash, refreshedAt.toISOString()];
  await em.execute(UPDATE, [...values, workspaceId, current.id]);
  await writeTools(em, { workspaceId, server: current, secretCipher }, tools);
  if (!change) return;
  const { id: serverId, name } = current;
  const { added, changed, removed } = change;
  const event = { serverId, name, added: [...added], changed: [...changed], removed: [...removed] };
  const payload = toBinary(McpServerChangedSchema, create(McpServerChangedSchema, event));
  await writeEvent(em, { workspaceId, type: 'mcp.server.changed', payload });
};

/** Returns a function that publishes the event of a call of an MCP server's tool. */
export const createSaveMcpCall =
  (database: Database) =>
  async ({ workspaceId, mcpServerId, ...call }: CalledTool): Promise<void> => {
    if (mcpServerId === undefined) return;
    const { toolId, name, status, durationMs } = call;
    const event = { serverId: mcpServerId, toolId, name, status, durationMs };
    const payload = toBinary(McpToolCalledSchema, create(McpToolCalledSchema, event));
    await database.scoped(workspaceScope(workspaceId), async (em) => {
      await writeEvent(em, { workspaceId, type: 'mcp.tool.called', payload });
    });
  };

export const createFindMcpEndpoint =
  (database: Database, secretCipher: SecretCipher): FindMcpEndpoint =>
  (workspaceId, serverId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<(ServerRow & { sealedHeaders: string })[]>(
        `${SELECT}, sealed_headers AS "sealedHeaders" FROM mcp_server
         WHERE workspace_id = ? AND id = ?`,
        [workspaceId, serverId],
      );
      const context = contextOf(workspaceId, serverId);
      const headers = row && openHeaders(secretCipher, row.sealedHeaders, context);
      if (!row || !headers) return undefined;
      const { url, protocolVersion, refreshedAt } = toServer(row, new Map());
      return { serverId, url, headers, protocolVersion, refreshedAt };
    });

const openHeaders = (
  secretCipher: SecretCipher,
  sealed: string,
  context: string,
): Record<string, string> | undefined => {
  try {
    return JSON.parse(secretCipher.decrypt(sealed, context)) as Record<string, string>;
  } catch {
    // The headers were encrypted with a key that is gone; the caller reports it.
    return undefined;
  }
};

/** Binds the headers to their server, so that a copy in another row cannot be decrypted. */
const contextOf = (workspaceId: string, serverId: string): string =>
  `mcp_server:${workspaceId}:${serverId}`;

export const ENCRYPTED_MCP_SERVERS: EncryptedTable = {
  table: 'mcp_server',
  key: 'id',
  columns: ['sealed_headers'],
  contextOf,
};

const nameTaken = () =>
  conflict('Another MCP server of this workspace has this name.', {
    code: 'name_taken',
    param: 'name',
  });

const findServer = async (
  em: Transaction,
  workspaceId: string,
  id: string,
  lock: '' | 'FOR NO KEY UPDATE',
): Promise<McpServerWithTools | undefined> => {
  const sql = `${SELECT} FROM mcp_server WHERE workspace_id = ? AND id = ? ${lock}`;
  const [row] = await em.execute<ServerRow[]>(sql, [workspaceId, id]);
  return row && toServer(row, await readTools(em, workspaceId, [id]));
};

type ServerRow = Omit<McpServer, 'refreshedAt' | 'createdAt'> & {
  refreshedAt: string | Date;
  createdAt: string | Date;
};

const toRow = ({ refreshedAt, createdAt, ...server }: McpServer) => ({
  ...server,
  refreshedAt: refreshedAt.toISOString(),
  createdAt: createdAt.toISOString(),
});

const toServer = (
  { refreshedAt, createdAt, ...row }: ServerRow,
  tools: ReadonlyMap<string, McpToolRow[]>,
): McpServerWithTools => ({
  ...row,
  refreshedAt: new Date(refreshedAt),
  createdAt: new Date(createdAt),
  tools: (tools.get(row.id) ?? []).map(toMcpTool),
});

const COUNT = 'SELECT count(*)::integer AS count FROM mcp_server WHERE workspace_id = ?';

const INSERT = `
  INSERT INTO mcp_server (
    id, workspace_id, name, url, header_names, sealed_headers, protocol_version, snapshot_hash,
    refreshed_at, created_at
  )
  SELECT s.id, s."workspaceId", s.name, s.url, s."headerNames", s."sealedHeaders",
    s."protocolVersion", s."snapshotHash", s."refreshedAt", s."createdAt"
  FROM jsonb_to_record(?::jsonb) AS s (
    id text, "workspaceId" text, name text, url text, "headerNames" text[], "sealedHeaders" text,
    "protocolVersion" text, "snapshotHash" text, "refreshedAt" timestamptz, "createdAt" timestamptz
  )`;

const SELECT = `
  SELECT id, name, url, header_names AS "headerNames", protocol_version AS "protocolVersion",
    snapshot_hash AS "snapshotHash", refreshed_at AS "refreshedAt", created_at AS "createdAt"`;

const LIST = `
  ${SELECT} FROM mcp_server
  WHERE workspace_id = ? AND (?::text IS NULL OR id < ?) ORDER BY id DESC LIMIT ?`;

const UPDATE = `
  UPDATE mcp_server SET protocol_version = ?, snapshot_hash = ?, refreshed_at = ?
  WHERE workspace_id = ? AND id = ?`;

const DELETE = 'DELETE FROM mcp_server WHERE workspace_id = ? AND id = ? RETURNING id';
