import { LockMode, defineEntity, p } from '@mikro-orm/core';
import { conflict } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Agent, AgentStore, LocalOnlyCounts } from '../agent.ts';
import { sourceOfChat } from '../agent.ts';

export const AgentEntity = defineEntity({
  name: 'Agent',
  tableName: 'agent',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    name: p.text(),
    slug: p.text(),
    role: p.text(),
    systemPrompt: p.text(),
    personality: p.text(),
    mission: p.text(),
    decisionStyle: p.text(),
    model: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const createAgentStore = (database: Database): AgentStore => ({
  insert: (workspaceId, agent, max) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // Serializes concurrent inserts of a workspace, so that none exceeds the limit of agents.
      await em.execute('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `agents of ${workspaceId}`,
      ]);
      if ((await em.count(AgentEntity, { workspaceId })) >= max) {
        const message = `This workspace has ${max} agents, as many as it may; delete one first.`;
        throw conflict(message, { code: 'agent_limit_reached' });
      }
      await rejectDuplicates(() => em.insert(AgentEntity, { ...agent, workspaceId }));
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const where = { workspaceId, ...(after === undefined ? {} : { id: { $lt: after } }) };
      const rows = await em.find(AgentEntity, where, { orderBy: { id: 'desc' }, limit });
      return rows.map(toAgent);
    }),
  find: async (workspaceId, id) =>
    (await findAgents(database.query, 'find_agent', [workspaceId, id]))[0],
  findByIds: (workspaceId, ids) => findAgents(database.query, 'find_agents', [workspaceId, ids]),
  findBySlug: async (workspaceId, slug) =>
    (await findAgents(database.query, 'find_agent_by_slug', [workspaceId, slug]))[0],
  update: (workspaceId, id, change) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // Locks the agent, so that the second of two concurrent changes returns the result of the
      // first as `before`.
      const options = { lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true };
      const before = await em.findOne(AgentEntity, { workspaceId, id }, options);
      if (!before) return undefined;
      await rejectDuplicates(() => em.nativeUpdate(AgentEntity, { workspaceId, id }, change));
      return { before: toAgent(before), agent: toAgent({ ...before, ...change }) };
    }),
  countLocalOnly: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [counts] = await em.execute<[LocalOnlyCounts]>(COUNT_LOCAL_ONLY, [
        workspaceId,
        id,
        workspaceId,
        id,
      ]);
      return counts;
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const deleted = await em.nativeDelete(AgentEntity, { workspaceId, id });
      const source = sourceOfChat(id);
      await em.execute('DELETE FROM fact WHERE workspace_id = ? AND source = ?', [
        workspaceId,
        source,
      ]);
      return deleted > 0;
    }),
});

const COUNT_LOCAL_ONLY = `
  SELECT
    (SELECT count(*)::integer FROM session
     WHERE workspace_id = ? AND agent_id = ? AND local_only) AS sessions,
    (SELECT count(*)::integer FROM memory
     WHERE workspace_id = ? AND (agent_id = ? OR agent_id IS NULL) AND local_only) AS memories`;

/**
 * Finds agents. It runs on every chat turn, so it is one call of a prepared function, which also
 * sets the scope of row-level security.
 */
const findAgents = async (
  query: Database['query'],
  name: 'find_agent' | 'find_agents' | 'find_agent_by_slug',
  [workspaceId, key]: [workspaceId: string, key: string | readonly string[]],
): Promise<Agent[]> => {
  const values = [workspaceScope(workspaceId).setting, key];
  const rows = await query<AgentRow>({ name, text: `SELECT * FROM ${name}($1, $2)`, values });
  return rows.map((row) => {
    const { system_prompt: systemPrompt, decision_style: decisionStyle } = row;
    const times = { createdAt: row.created_at, updatedAt: row.updated_at };
    return toAgent({ ...row, systemPrompt, decisionStyle, ...times });
  });
};

type AgentRow = Pick<Agent, Exclude<keyof Agent, 'systemPrompt' | 'decisionStyle' | TimeKey>> & {
  system_prompt: string;
  decision_style: string;
  created_at: Date;
  updated_at: Date;
};
type TimeKey = 'createdAt' | 'updatedAt';

const UNIQUE_VIOLATION = '23505';

const rejectDuplicates = async (write: () => Promise<unknown>): Promise<void> => {
  try {
    await write();
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    const message =
      'Another agent of this workspace has this name, or one that is addressed alike.';
    throw conflict(message, { code: 'slug_taken', param: 'name' });
  }
};

const toAgent = (row: Agent): Agent => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  role: row.role,
  systemPrompt: row.systemPrompt,
  personality: row.personality,
  mission: row.mission,
  decisionStyle: row.decisionStyle,
  model: row.model,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});
