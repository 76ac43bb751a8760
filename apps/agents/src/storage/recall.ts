import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { Recall } from '../domain/memory/recall.ts';
import type { Ranking } from '../domain/memory/fuse-ranks.ts';
import type { Memory } from '../domain/memory/memory.ts';
import type { MemoryOwner } from '../domain/memory/memory-store.ts';
import type { MemoryRow } from './memory-rows.ts';

/** What turns read of memories. */
export const createRecall = (database: Database): Recall => ({
  all: (workspaceId, agentId) => recallMemories(database.pool, { workspaceId, agentId }),
  rank: (workspaceId, agentId, text) =>
    database.scoped(workspaceScope(workspaceId), (em) =>
      rankMemories(em, { workspaceId, agentId }, text),
    ),
});

/**
 * All that an agent knows, in no order: its own, and the global ones that none of its own shadows.
 * Every turn waits for this, so it is one call of a prepared function, which sets the scope: half
 * the time of a transaction of four statements.
 */
const recallMemories = async (
  pool: Database['pool'],
  { workspaceId, agentId }: MemoryOwner,
): Promise<Memory[]> => {
  const { rows } = await pool.query<RecallRow>({
    name: 'recall_memories',
    text: 'SELECT * FROM recall_memories($1, $2)',
    values: [workspaceScope(workspaceId).setting, agentId],
  });
  const own = new Set(rows.flatMap((row) => (row.agent_id === null ? [] : [row.key_norm])));
  return rows
    .filter((row) => row.agent_id !== null || !own.has(row.key_norm))
    .map((row) => ({
      id: row.id,
      key: row.key,
      keyNorm: row.key_norm,
      type: row.type,
      value: row.value,
      isGlobal: row.agent_id === null,
      importance: row.importance,
      origin: row.origin,
      sessionId: row.session_id,
      updatedAt: new Date(row.updated_ms),
      lastUsedAt: new Date(row.used_ms),
    }));
};

/** Numbers of milliseconds, which are read faster than the texts of dates. */
type RecallRow = Omit<MemoryRow, 'created_at' | 'updated_at' | 'used_at'> & {
  updated_ms: number;
  used_ms: number;
};

/**
 * Those that share a word with the message, each with how well it matches. A word of the key counts
 * for ten of the value.
 */
const rankMemories = async (
  em: Transaction,
  { workspaceId, agentId }: MemoryOwner,
  message: string,
): Promise<Ranking> => {
  const params = [message, workspaceId, agentId, workspaceId];
  const rows = await em.execute<{ id: string; score: number }[]>(RANK, params);
  return new Map(rows.map(({ id, score }) => [id, score]));
};

/** Words of a message that are looked for. */
const WORDS_MAX = 64;
/** Of `ts_rank_cd`: a long memory has more words by chance. */
const BY_LENGTH = 1;

/**
 * Any of the words, for no memory has all of a message's. Of too many the longest stay, which are
 * the rarest as a rule: the configuration knows no language, so it has no stop words.
 */
const RANK = `
  WITH words AS MATERIALIZED (
    SELECT lexeme FROM unnest(to_tsvector('simple', ?))
    ORDER BY length(lexeme) DESC, lexeme LIMIT ${WORDS_MAX}
  ), query AS MATERIALIZED (
    SELECT string_agg(
      '''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | '
    )::tsquery AS any_word
    FROM words
  )
  SELECT id, ts_rank_cd(search, any_word, ${BY_LENGTH}) AS score FROM memory, query
  WHERE workspace_id = ? AND agent_id = ? AND search @@ any_word
  UNION ALL
  SELECT id, ts_rank_cd(search, any_word, ${BY_LENGTH}) AS score FROM memory, query
  WHERE workspace_id = ? AND agent_id IS NULL AND search @@ any_word`;
