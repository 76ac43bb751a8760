import { LockMode, defineEntity, p } from '@mikro-orm/core';
import { conflict } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { lockUntilCommit, workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
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
      await lockUntilCommit(em, `agents of ${workspaceId}`);
      if ((await em.count(AgentEntity, { workspaceId })) >= max) {
        const message = `This workspace has ${max} agents, as many as it may; delete one first.`;
        throw conflict(message, { code: 'agent_limit_reached' });
      }
      await rejectDuplicates(em.insert(AgentEntity, { ...agent, workspaceId }), slugTaken);
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
      const updating = em.nativeUpdate(AgentEntity, { workspaceId, id }, change);
      await rejectDuplicates(updating, slugTaken);
      return { before: toAgent(before), agent: toAgent({ ...before, ...change }) };
    }),
  countLocalOnly: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const params = [workspaceId, id, workspaceId, id];
      const [counts] = await em.execute<[LocalOnlyCounts]>(COUNT_LOCAL_ONLY, params);
      return counts;
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const deleted = await em.nativeDelete(AgentEntity, { workspaceId, id });
      const facts = [workspaceId, sourceOfChat(id)];
      await em.execute('DELETE FROM fact WHERE workspace_id = ? AND source = ?', facts);
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
 * Finds agents. Chat turns and debates use it, so it is one call of a prepared function, which also
 * sets the scope of row-level security.
 */
const findAgents = (
  query: Database['query'],
  name: 'find_agent' | 'find_agents' | 'find_agent_by_slug',
  [workspaceId, key]: [workspaceId: string, key: string | readonly string[]],
): Promise<Agent[]> => {
  const values = [workspaceScope(workspaceId).setting, key];
  return query<Agent>({ name, text: `SELECT ${COLUMNS} FROM ${name}($1, $2)`, values });
};

const COLUMNS = `id, name, slug, role, system_prompt AS "systemPrompt", personality, mission,
  decision_style AS "decisionStyle", model, created_at AS "createdAt", updated_at AS "updatedAt"`;

const slugTaken = (): ServiceError => {
  const message = 'Another agent of this workspace has this name, or one that is addressed alike.';
  return conflict(message, { code: 'slug_taken', param: 'name' });
};

const UNIQUE_VIOLATION = '23505';

/** Rejects with `toConflict()` if the write violates a unique constraint. */
export const rejectDuplicates = async (
  write: Promise<unknown>,
  toConflict: () => ServiceError,
): Promise<void> => {
  try {
    await write;
  } catch (error) {
    throw (error as { code?: string }).code === UNIQUE_VIOLATION ? toConflict() : error;
  }
};

/**
 * Locks an agent against deletion until the transaction ends; resolves with false if the agent does
 * not exist. A deletion locks the agent before the rows that belong to it, so this must precede
 * locks on those rows to avoid a deadlock.
 */
export const lockAgent = async (
  em: Transaction,
  { workspaceId, agentId }: { workspaceId: string; agentId: string },
): Promise<boolean> => {
  const locked = await em.execute<object[]>(
    'SELECT id FROM agent WHERE workspace_id = ? AND id = ? FOR KEY SHARE',
    [workspaceId, agentId],
  );
  return locked.length > 0;
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
