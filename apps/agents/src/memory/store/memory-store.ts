import { ServiceError } from '@witan/contracts';
import { lockUntilCommit, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createRecalledMemories, DEFAULT_POLICY } from '../memory-store.ts';
import type {
  MemoryPolicy,
  MemoryPolicyStore,
  MemoryRevision,
  MemoryStore,
  Recall,
  StoredMemory,
} from '../memory-store.ts';
import type { Memory } from '../memory.ts';
import { AgentEntity, lockAgent } from '../../agent/store/agent-store.ts';
import { MEMORY_COLUMNS, writeMemories } from './write-memories.ts';

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
  list: ({ workspaceId, agentId }, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      if ((await em.count(AgentEntity, { workspaceId, id: agentId })) === 0) return undefined;
      const params = [workspaceId, agentId, workspaceId, after ?? null, after ?? null, limit];
      const rows = await em.execute<MemoryRow[]>(LIST, params);
      return rows.map(({ createdAt, updatedAt, lastUsedAt, ...memory }) => ({
        ...memory,
        createdAt: new Date(createdAt),
        updatedAt: new Date(updatedAt),
        lastUsedAt: new Date(lastUsedAt),
      }));
    }),
  listRevisions: ({ workspaceId, agentId }, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const found = await em.execute<object[]>(FIND, [workspaceId, id, agentId]);
      if (found.length === 0) return undefined;
      const rows = await em.execute<RevisionRow[]>(LIST_REVISIONS, [workspaceId, id]);
      return rows.map(({ validFrom, validTo, ...revision }) => ({
        ...revision,
        validFrom: new Date(validFrom),
        validTo: new Date(validTo),
      }));
    }),
  delete: (owner, id) =>
    database.scoped(workspaceScope(owner.workspaceId), async (em) => {
      if (!(await lockAgent(em, owner))) return false;
      const { workspaceId, agentId } = owner;
      const key = [workspaceId, id, agentId];
      const [found] = await em.execute<{ isGlobal: boolean }[]>(FIND, key);
      if (!found) return false;
      // Waits for concurrent writers, which could otherwise add a revision of the deleted memory.
      await lockUntilCommit(em, `memories of ${found.isGlobal ? workspaceId : agentId}`);
      return (await em.execute<object[]>(DELETE, key)).length > 0;
    }),
});

const LIST = `
  SELECT ${MEMORY_COLUMNS} FROM (
    SELECT * FROM memory WHERE workspace_id = ? AND agent_id = ?
    UNION ALL SELECT * FROM memory WHERE workspace_id = ? AND agent_id IS NULL
  ) AS memory
  WHERE ?::text IS NULL OR id < ?
  ORDER BY id DESC LIMIT ?`;

type DateName = 'createdAt' | 'updatedAt' | 'lastUsedAt';

/** Row of a memory as `execute` returns it, with dates as strings. */
type MemoryRow = Omit<StoredMemory, DateName> & Record<DateName, string>;

const FIND = `
  SELECT agent_id IS NULL AS "isGlobal" FROM memory
  WHERE workspace_id = ? AND id = ? AND (agent_id = ? OR agent_id IS NULL)`;

const LIST_REVISIONS = `
  SELECT revision, key, value, type, origin, valid_from AS "validFrom", valid_to AS "validTo"
  FROM memory_revision WHERE workspace_id = ? AND memory_id = ? ORDER BY revision DESC`;

type RevisionRow = Omit<MemoryRevision, 'validFrom' | 'validTo'> &
  Record<'validFrom' | 'validTo', string>;

const DELETE = `
  DELETE FROM memory
  WHERE workspace_id = ? AND id = ? AND (agent_id = ? OR agent_id IS NULL) RETURNING id`;

/**
 * Creates the reader of all memories of an agent and all global ones, unsorted. Chat turns use it,
 * so it is one call of a prepared function, which also sets the scope of row-level security.
 */
export const createRecall = ({ query }: Pick<Database, 'query'>): Recall => ({
  all: async (workspaceId, agentId) => {
    const rows = await query<RecallRow>({
      name: 'recall_marked_memories',
      text: RECALL,
      values: [workspaceScope(workspaceId).setting, agentId],
    });
    const memories = rows.map(({ updatedMs, usedMs, ...memory }) => ({
      ...memory,
      updatedAt: new Date(updatedMs),
      lastUsedAt: new Date(usedMs),
    }));
    return createRecalledMemories(memories);
  },
});

const RECALL = `
  SELECT id, key, key_norm AS "keyNorm", type, value, agent_id IS NULL AS "isGlobal",
    local_only AS "isLocalOnly", tainted AS "isTainted", importance, origin,
    session_id AS "sessionId", updated_ms AS "updatedMs", used_ms AS "usedMs"
  FROM recall_marked_memories($1, $2)`;

/** Times are numbers of milliseconds, which are faster to parse than date strings. */
type RecallRow = Omit<Memory, 'updatedAt' | 'lastUsedAt'> & { updatedMs: number; usedMs: number };

export const createMemoryPolicyStore = (database: Database): MemoryPolicyStore => ({
  get: async (workspaceId) => {
    const [policy = DEFAULT_POLICY] = await database.query<MemoryPolicy>({
      name: 'find_memory_policy',
      text: 'SELECT global_writes AS "globalWrites" FROM find_memory_policy($1)',
      values: [workspaceScope(workspaceId).setting],
    });
    return policy;
  },
  set: (workspaceId, { globalWrites }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(
        `INSERT INTO memory_policy (workspace_id, global_writes) VALUES (?, ?)
         ON CONFLICT (workspace_id) DO UPDATE
         SET global_writes = EXCLUDED.global_writes, updated_at = clock_timestamp()`,
        [workspaceId, globalWrites],
      );
    }),
});
