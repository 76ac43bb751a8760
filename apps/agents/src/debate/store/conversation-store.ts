import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type {
  Conversation,
  ConversationRound,
  ConversationStore,
  EarlierDebate,
} from '../conversation/conversation.ts';
import { listMessages } from './conversation-messages.ts';
import { toStoredSynthesis, toRound } from './debate-rows.ts';
import type { RoundRow } from './debate-rows.ts';

export const createConversationStore = (database: Database): ConversationStore => ({
  insert: (workspaceId, { id, userId, title, createdAt }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(INSERT, [id, workspaceId, userId, title, createdAt.toISOString()]);
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const last = after === undefined ? [] : await findPosition(em, [workspaceId, after]);
      const rows = await em.execute<ConversationRow[]>(listSql(last), [
        workspaceId,
        ...last,
        limit,
      ]);
      return rows.map(toConversation);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<ConversationRow[]>(FIND, [workspaceId, id]);
      if (!row) return undefined;
      const messages = await listMessages(em, id);
      return { conversation: toConversation(row), messages, rounds: await listRounds(em, id) };
    }),
  exists: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      return (await em.execute<object[]>(CHECK_EXISTS, [workspaceId, id])).length > 0;
    }),
  findEarlier: (workspaceId, id, { debateId, max, withSensitive }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const values = [workspaceId, id, debateId, withSensitive, max];
      const newest = await em.execute<EarlierRow[]>(FIND_EARLIER, values);
      return newest.map(toEarlier).toReversed();
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      return (await em.execute<object[]>(DELETE, [workspaceId, id])).length > 0;
    }),
});

const INSERT = `
  INSERT INTO conversation (id, workspace_id, user_id, title, created_at) VALUES (?, ?, ?, ?, ?)`;

/**
 * Returns the list position of the conversation that a cursor names. Returns an empty array if it
 * was deleted, so that the list restarts.
 */
const findPosition = async (em: Transaction, key: string[]): Promise<string[]> => {
  const [row] = await em.execute<{ position: string }[]>(
    'SELECT position::text AS position FROM conversation WHERE workspace_id = ? AND id = ?',
    key,
  );
  return row ? [row.position] : [];
};

const COLUMNS = `
  id, user_id AS "userId", title, message_count AS "messageCount", created_at AS "createdAt"`;

const listSql = (last: readonly string[]): string => `
  SELECT ${COLUMNS} FROM conversation
  WHERE workspace_id = ? ${last.length === 0 ? '' : 'AND position < ?::bigint'}
  ORDER BY position DESC LIMIT ?`;

/** Selects a conversation and locks it against deletion until its messages are read. */
const FIND = `
  SELECT ${COLUMNS} FROM conversation WHERE workspace_id = ? AND id = ? FOR KEY SHARE`;

const CHECK_EXISTS = 'SELECT FROM conversation WHERE workspace_id = ? AND id = ?';

type EarlierRow = { question: string; synthesis: string };

/**
 * The synthesis is parsed here and not in SQL, because jsonb rejects escapes of NUL and of half a
 * surrogate pair.
 */
const toEarlier = ({ question, synthesis }: EarlierRow): EarlierDebate => ({
  question,
  synthesis: toStoredSynthesis({ synthesis })!.synthesis.content,
});

/**
 * Finds earlier debates, newest first by position and not by time, because the clocks of the
 * replicas differ.
 */
const FIND_EARLIER = `
  SELECT question, synthesis::text AS synthesis FROM debate
  WHERE workspace_id = ? AND conversation_id = ? AND id <> ? AND state = 'synthesized'
    AND (? OR config ->> 'isSensitive' = 'false')
  ORDER BY position DESC LIMIT ?`;

const DELETE = 'DELETE FROM conversation WHERE workspace_id = ? AND id = ? RETURNING id';

type ConversationRow = Omit<Conversation, 'createdAt'> & { createdAt: Date | string };

const toConversation = ({ createdAt, ...conversation }: ConversationRow): Conversation => ({
  ...conversation,
  createdAt: new Date(createdAt),
});

const listRounds = async (em: Transaction, id: string): Promise<ConversationRound[]> => {
  const rows = await em.execute<(RoundRow & { id: string; messageId: string })[]>(ROUNDS, [id]);
  return rows.map((row) => toRound(row, row));
};

const ROUNDS = `
  SELECT debate.id, debate.message_id AS "messageId", round.round_number AS "roundNumber",
    round.convergence_score AS "convergenceScore", round.report::text AS report
  FROM debate JOIN debate_round AS round ON round.debate_id = debate.id
  WHERE debate.conversation_id = ? ORDER BY debate.position, round.round_number`;
