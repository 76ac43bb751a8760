import { ServiceError } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { MemoryStore } from '../memory-store.ts';
import { AgentEntity } from '../../agent/store/agent-store.ts';
import { MEMORY_COLUMNS, toMemory } from './memory-rows.ts';
import type { MemoryRow } from './memory-rows.ts';
import { lockAgent, lockScope, toGlobalScope, toOwnScope } from './memory-scope.ts';
import { writeMemories } from './write-memories.ts';

export const createMemoryStore = (database: Database): MemoryStore => ({
  save: async (owner, drafts, max) => {
    try {
      const write = { origin: 'api' as const, drafts, max, usedIds: [] };
      return await writeMemories(database.query, owner, write);
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'NOT_FOUND') return undefined;
      throw error;
    }
  },
  list: (owner, { limit, after }) =>
    database.scoped(workspaceScope(owner.workspaceId), async (em) => {
      const { workspaceId, agentId } = owner;
      if ((await em.count(AgentEntity, { workspaceId, id: agentId })) === 0) return undefined;
      const ownScope = toOwnScope(owner);
      const globalScope = toGlobalScope(owner);
      const rows = await em.execute<MemoryRow[]>(
        `SELECT * FROM (
           SELECT ${MEMORY_COLUMNS} FROM memory WHERE ${ownScope.where}
           UNION ALL SELECT ${MEMORY_COLUMNS} FROM memory WHERE ${globalScope.where}
         ) AS memory
         WHERE ?::text IS NULL OR id < ?
         ORDER BY id DESC LIMIT ?`,
        [...ownScope.params, ...globalScope.params, after ?? null, after ?? null, limit],
      );
      return rows.map(toMemory);
    }),
  delete: (owner, id) =>
    database.scoped(workspaceScope(owner.workspaceId), async (em) => {
      if (!(await lockAgent(em, owner))) return false;
      const found = await em.execute<{ is_global: boolean }[]>(
        `SELECT agent_id IS NULL AS is_global FROM memory
         WHERE workspace_id = ? AND id = ? AND (agent_id = ? OR agent_id IS NULL)`,
        [owner.workspaceId, id, owner.agentId],
      );
      if (found.length === 0) return false;
      const scope = found[0]!.is_global ? toGlobalScope(owner) : toOwnScope(owner);
      // Waits for concurrent writers, which could otherwise add a revision of the deleted memory.
      await lockScope(em, scope);
      const deleted = await em.execute<object[]>(
        `DELETE FROM memory WHERE ${scope.where} AND id = ? RETURNING id`,
        [...scope.params, id],
      );
      return deleted.length > 0;
    }),
});
