import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** The stored state of a conversation's only debate. */
export type StoredDebate = {
  id: string;
  state: 'running' | 'synthesized' | 'failed';
  /**
   * Keys of the model calls whose outcome is stored, such as `frame`, `2 Growth` and `synthesis`.
   */
  keys: readonly string[];
  /** The conversation's message counter; `messages` is the number of its stored messages. */
  messageCount: number;
  messages: number;
  events: number;
};

const STORED_SQL = `
  SELECT debate.id, debate.state, conversation.message_count AS "messageCount",
    array_remove(
      ARRAY[
        CASE WHEN debate.frame IS NOT NULL THEN 'frame' END,
        CASE WHEN debate.synthesis IS NOT NULL THEN 'synthesis' END
      ] || ARRAY(
        SELECT answer.round_number || ' ' || answer.agent_name FROM agents.debate_answer AS answer
        WHERE answer.debate_id = debate.id AND answer.answer IS NOT NULL
      ), NULL) AS keys,
    (SELECT count(*)::integer FROM agents.conversation_message AS message
     WHERE message.conversation_id = conversation.id) AS messages,
    (SELECT count(*)::integer FROM agents.outbox
     WHERE position(convert_to(debate.id, 'UTF8') IN outbox.payload) > 0) AS events
  FROM agents.debate JOIN agents.conversation ON conversation.id = debate.conversation_id
  WHERE conversation.id = $1`;

/**
 * Hashes all rows of a debate with every column, including leases and times, to detect any write.
 */
const ROWS_HASH_SQL = `
  SELECT md5(string_agg(row, '|' ORDER BY row)) AS rows FROM (
    SELECT debate::text AS row FROM agents.debate WHERE id = $1
    UNION ALL SELECT one::text FROM agents.debate_answer AS one WHERE debate_id = $1
    UNION ALL SELECT one::text FROM agents.debate_round AS one WHERE debate_id = $1
    UNION ALL SELECT one::text FROM agents.debate_event AS one WHERE debate_id = $1
    UNION ALL SELECT one::text FROM agents.conversation_message AS one WHERE debate_id = $1
    UNION ALL SELECT conversation::text FROM agents.conversation
      JOIN agents.debate ON debate.conversation_id = conversation.id WHERE debate.id = $1
    UNION ALL SELECT 'events ' || count(*) FROM agents.outbox
      WHERE position(convert_to($1, 'UTF8') IN outbox.payload) > 0
  ) AS stored`;

/**
 * Returns the debate of a conversation, or undefined if it has none. Rejects while the database is
 * down.
 */
export const readDebate = async (
  databaseUrl: string,
  conversationId: string,
): Promise<StoredDebate | undefined> =>
  (await query<StoredDebate>(databaseUrl, STORED_SQL, conversationId))[0];

export const hashRows = async (databaseUrl: string, debateId: string): Promise<string> =>
  (await query<{ rows: string }>(databaseUrl, ROWS_HASH_SQL, debateId))[0]!.rows;

const POLL_MS = 50;

/** Resolves with the debate when it has ended, or with undefined after `limitMs`. */
export const untilEnded = async (
  databaseUrl: string,
  conversationId: string,
  limitMs: number,
): Promise<StoredDebate | undefined> => {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await pause(POLL_MS)) {
    try {
      const stored = await readDebate(databaseUrl, conversationId);
      if (stored && stored.state !== 'running') return stored;
    } catch {
      // The database is restarting, so the query is repeated at the next poll.
    }
  }
  return undefined;
};

const query = async <T extends object>(
  databaseUrl: string,
  sql: string,
  value: string,
): Promise<T[]> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {
    // Without this listener, the end of a killed database would crash this process. The pending
    // query rejects in any case.
  });
  await client.connect();
  try {
    return (await client.query<T>(sql, [value])).rows;
  } finally {
    await client.end();
  }
};
