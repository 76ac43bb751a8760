import { conflict } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { GuardedMemory } from '../domain/memory/guard-memories.ts';
import type { Memory } from '../domain/memory/memory.ts';
import type { MemoryOwner, MemoryStore, StoredMemory } from '../domain/memory/memory-store.ts';
import { AgentEntity } from './entities.ts';
import { MEMORY_COLUMNS, toMemory } from './memory-rows.ts';
import type { MemoryRow } from './memory-rows.ts';
import { holdAgent, lockScope, toGlobalScope, toOwnScope } from './memory-scope.ts';
import { writeMemories } from './write-memories.ts';
import type { MakeRoom } from './write-memories.ts';

/** What a turn leaves behind. */
export type TurnMemories = MemoryOwner & {
  /** Null: it was in none. */
  sessionId: string | null;
  /** Of its tags, as guarded; each key once. */
  memories: readonly GuardedMemory[];
  /** Those that the prompt showed. */
  used: readonly Memory[];
};

/**
 * Keeps what an answer asked to be remembered, in the transaction that writes the turn, and answers
 * what was kept, in order.
 */
export type SaveTurnMemories = (em: Transaction, turn: TurnMemories) => Promise<StoredMemory[]>;

/** Memories in Postgres. */
export const createMemoryStore = (database: Database): MemoryStore => ({
  save: (owner, drafts, max) =>
    database.scoped(workspaceScope(owner.workspaceId), async (em) => {
      if (!(await holdAgent(em, owner))) return undefined;
      const source = { origin: 'api' as const, sessionId: null };
      return await writeMemories(em, owner, { drafts, makeRoom: refuseMore(max), ...source });
    }),
  list: (owner, { limit, after }) =>
    database.scoped(workspaceScope(owner.workspaceId), async (em) => {
      const { workspaceId, agentId } = owner;
      if ((await em.count(AgentEntity, { workspaceId, id: agentId })) === 0) return undefined;
      const own = toOwnScope(owner);
      const global = toGlobalScope(owner);
      const rows = await em.execute<MemoryRow[]>(
        `SELECT * FROM (
           SELECT ${MEMORY_COLUMNS} FROM memory WHERE ${own.where}
           UNION ALL SELECT ${MEMORY_COLUMNS} FROM memory WHERE ${global.where}
         ) AS memory
         WHERE ?::text IS NULL OR id < ?
         ORDER BY id DESC LIMIT ?`,
        [...own.params, ...global.params, after ?? null, after ?? null, limit],
      );
      return rows.map(toMemory);
    }),
  delete: (owner, id) =>
    database.scoped(workspaceScope(owner.workspaceId), async (em) => {
      if (!(await holdAgent(em, owner))) return false;
      const found = await em.execute<{ is_global: boolean }[]>(
        `SELECT agent_id IS NULL AS is_global FROM memory
         WHERE workspace_id = ? AND id = ? AND (agent_id = ? OR agent_id IS NULL)`,
        [owner.workspaceId, id, owner.agentId],
      );
      if (found.length === 0) return false;
      const scope = found[0]!.is_global ? toGlobalScope(owner) : toOwnScope(owner);
      // Nobody must write a revision of it meanwhile.
      await lockScope(em, scope);
      const deleted = await em.execute<object[]>(
        `DELETE FROM memory WHERE ${scope.where} AND id = ? RETURNING id`,
        [...scope.params, id],
      );
      return deleted.length > 0;
    }),
});

const refuseMore =
  (max: number): MakeRoom =>
  async ({ isGlobal }, { fresh, held }) => {
    if (fresh.length === 0 || held + fresh.length <= max) return fresh;
    const whose = isGlobal ? 'This workspace' : 'This agent';
    const message = `${whose} has ${held} of ${max} memories; delete some first.`;
    throw conflict(message, { code: 'memory_limit_reached' });
  };
