import { conflict } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Agent, AgentStore } from '../domain/agent/agent.ts';
import { AgentEntity } from './entities.ts';
import { sourceOfChat } from '../domain/fact/fact.ts';

/** Agents in Postgres. */
export const createAgentStore = (database: Database): AgentStore => ({
  insert: (workspaceId, agent, max) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // Those that come together count each other, and see each other's slugs.
      await em.execute('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `agents of ${workspaceId}`,
      ]);
      if ((await em.count(AgentEntity, { workspaceId })) >= max) {
        const message = `This workspace has ${max} agents, as many as it may; delete one first.`;
        throw conflict(message, { code: 'agent_limit_reached' });
      }
      await refuseTaken(() => em.insert(AgentEntity, { ...agent, workspaceId }));
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const where = { workspaceId, ...(after === undefined ? {} : { id: { $lt: after } }) };
      const rows = await em.find(AgentEntity, where, { orderBy: { id: 'desc' }, limit });
      return rows.map(toAgent);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(AgentEntity, { workspaceId, id });
      return row ? toAgent(row) : undefined;
    }),
  findBySlug: (workspaceId, slug) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(AgentEntity, { workspaceId, slug });
      return row ? toAgent(row) : undefined;
    }),
  update: (workspaceId, id, change) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await refuseTaken(() => em.nativeUpdate(AgentEntity, { workspaceId, id }, change));
      const row = await em.findOne(AgentEntity, { workspaceId, id });
      return row ? toAgent(row) : undefined;
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const deleted = await em.nativeDelete(AgentEntity, { workspaceId, id });
      // Facts name where they come from, and nothing more.
      const source = sourceOfChat(id);
      await em.execute('DELETE FROM fact WHERE workspace_id = ? AND source = ?', [
        workspaceId,
        source,
      ]);
      return deleted > 0;
    }),
});

const UNIQUE_VIOLATION = '23505';

const refuseTaken = async (write: () => Promise<unknown>): Promise<void> => {
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
