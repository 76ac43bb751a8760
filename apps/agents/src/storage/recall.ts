import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { Recall } from '../domain/chat/prepare-chat.ts';
import type { Ranking } from '../domain/memory/fuse-ranks.ts';
import type { Memory } from '../domain/memory/memory.ts';
import type { MemoryOwner } from '../domain/memory/memory-store.ts';
import { MEMORY_COLUMNS, toMemory } from './memory-rows.ts';
import type { MemoryRow } from './memory-rows.ts';

/** What turns read of memories. */
export const createRecall = (database: Database): Recall => ({
  all: (workspaceId, agentId) =>
    database.scoped(workspaceScope(workspaceId), (em) =>
      recallMemories(em, { workspaceId, agentId }),
    ),
  rank: (workspaceId, agentId, text) =>
    database.scoped(workspaceScope(workspaceId), (em) =>
      rankMemories(em, { workspaceId, agentId }, text),
    ),
});

/**
 * All that an agent knows, in no order. Two halves, each by an index of its own: with OR the
 * planner reads whole workspaces.
 */
const recallMemories = async (
  em: Transaction,
  { workspaceId, agentId }: MemoryOwner,
): Promise<Memory[]> => {
  const params = [workspaceId, agentId, workspaceId, workspaceId, agentId];
  return (await em.execute<MemoryRow[]>(RECALL, params)).map(toMemory);
};

const RECALL = `
  SELECT ${MEMORY_COLUMNS} FROM memory WHERE workspace_id = ? AND agent_id = ?
  UNION ALL
  SELECT ${MEMORY_COLUMNS} FROM memory AS shared
  WHERE workspace_id = ? AND agent_id IS NULL AND NOT EXISTS (
    SELECT FROM memory AS own
    WHERE own.workspace_id = ? AND own.agent_id = ? AND own.key_norm = shared.key_norm
  )`;

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
