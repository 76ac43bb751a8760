import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createRecalledMemories } from '../recall/recall.ts';
import type { Recall, RecalledMemories } from '../recall/recall.ts';
import type { Memory } from '../memory.ts';
import type { MemoryOwner } from '../memory-store.ts';
import type { MemoryRow } from './memory-rows.ts';

export const createRecall = (database: Database): Recall => ({
  all: (workspaceId, agentId) => recallMemories(database.query, { workspaceId, agentId }),
});

/**
 * Returns all memories of an agent and all global ones, unsorted. It runs on every chat turn, so it
 * is one call of a prepared function, which also sets the scope of row-level security and takes
 * half the time of a transaction of four statements.
 */
const recallMemories = async (
  query: Database['query'],
  { workspaceId, agentId }: MemoryOwner,
): Promise<RecalledMemories> => {
  const rows = await query<RecallRow>({
    name: 'recall_marked_memories',
    text: 'SELECT * FROM recall_marked_memories($1, $2)',
    values: [workspaceScope(workspaceId).setting, agentId],
  });
  return createRecalledMemories(rows.map(toRecalled));
};

const toRecalled = (row: RecallRow): Memory => ({
  id: row.id,
  key: row.key,
  keyNorm: row.key_norm,
  type: row.type,
  value: row.value,
  isGlobal: row.agent_id === null,
  isLocalOnly: row.local_only,
  isTainted: row.tainted,
  importance: row.importance,
  origin: row.origin,
  sessionId: row.session_id,
  updatedAt: new Date(row.updated_ms),
  lastUsedAt: new Date(row.used_ms),
});

/**
 * Row of a memory. Timestamps are numbers of milliseconds, which are faster to parse than date
 * strings.
 */
type RecallRow = Omit<MemoryRow, 'created_at' | 'updated_at' | 'used_at' | 'global_denied'> & {
  updated_ms: number;
  used_ms: number;
};
