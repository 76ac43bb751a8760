import { query } from '../query.ts';
import { until } from '../until.ts';

/** The stored state of a conversation's only debate. */
export type StoredDebate = {
  id: string;
  state: 'running' | 'synthesized' | 'failed';
  /** The conversation's message counter; `messages` is the number of its stored messages. */
  messageCount: number;
  messages: number;
  events: number;
};

const STORED_SQL = `
  SELECT debate.id, debate.state, conversation.message_count AS "messageCount",
    (SELECT count(*)::integer FROM agents.conversation_message AS message
     WHERE message.conversation_id = conversation.id) AS messages,
    (SELECT count(*)::integer FROM agents.outbox
     WHERE position(convert_to(debate.id, 'UTF8') IN outbox.payload) > 0) AS events
  FROM agents.debate JOIN agents.conversation ON conversation.id = debate.conversation_id
  WHERE conversation.id = $1`;

/**
 * Hashes all rows of a debate with every column, including leases and times, and the number of its
 * events.
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

/** Returns a hash of the rows of a debate and the number of its events. */
export const hashRows = async (databaseUrl: string, debateId: string): Promise<string> =>
  (await query<{ rows: string }>(databaseUrl, ROWS_HASH_SQL, [debateId]))[0]!.rows;

/** Resolves with the debate when it has ended, or with undefined after `limitMs`. */
export const untilEnded = (
  databaseUrl: string,
  conversationId: string,
  limitMs: number,
): Promise<StoredDebate | undefined> =>
  until(limitMs, async () => {
    try {
      const [stored] = await query<StoredDebate>(databaseUrl, STORED_SQL, [conversationId]);
      return stored?.state === 'running' ? undefined : stored;
    } catch {
      // The database may be restarting, so the query is repeated at the next poll.
      return undefined;
    }
  });
