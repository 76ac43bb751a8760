import { conflict } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { Transaction } from '@witan/service-kit';
import { noSuchConversation } from '../domain/conversation/conversations.ts';
import type { DebateEvent } from '../domain/debate/record/debate-event.ts';
import type { BegunDebate, NewDebate } from '../domain/debate/record/debate-store.ts';
import { toStarted } from './debate-events.ts';

export type Beginning = { workspaceId: string; debate: NewDebate; lease: string; leaseMs: number };

/** Writes what a debate begins with. */
export const beginDebate = async (em: Transaction, begin: Beginning): Promise<BegunDebate> => {
  const { workspaceId, debate, lease } = begin;
  const { id, place } = debate;
  const conversationId = place.kind === 'conversation' ? place.conversationId : '';
  if (place.kind === 'conversation') await holdConversation(em, workspaceId, place.conversationId);
  const kept = await insertDebate(em, begin);
  if (kept.id !== id) {
    if (kept.fingerprint !== debate.fingerprint) throw keyReused();
    return { isNew: false, debateId: kept.id };
  }
  if (place.kind === 'conversation') {
    const { messageId } = place;
    const values = [messageId, workspaceId, conversationId, id, debate.createdAt.toISOString()];
    await em.execute(INSERT_MESSAGE, values);
    await em.execute(COUNT_IN, [Buffer.byteLength(debate.question), conversationId]);
  }
  await em.execute(INSERT_EVENT, [id, workspaceId]);
  const started = { debateId: id, seq: 1, roundNumber: 0, agentId: '' };
  const events: DebateEvent[] = [{ ...started, ...toStarted(debate) }];
  return { isNew: true, held: { workspaceId, id, conversationId, lease, attempts: 1 }, events };
};

/** Those that begin a debate of one conversation, and whoever deletes it, come one by one. */
const holdConversation = async (
  em: Transaction,
  workspaceId: string,
  conversationId: string,
): Promise<void> => {
  const [conversation] = await em.execute<{ isFull: boolean }[]>(HOLD, [
    CONVERSATION_BYTES_MAX,
    CONVERSATION_MESSAGES_MAX,
    workspaceId,
    conversationId,
  ]);
  if (!conversation) throw noSuchConversation();
  const running = await em.execute<object[]>(RUNNING, [conversationId]);
  if (running.length > 0) throw debateRunning();
  if (conversation.isFull) throw conversationFull();
};

/**
 * A conversation is shown whole, in one message between services (40 MiB), and every word of it is
 * kept. A debate that begins is led to its end.
 */
const CONVERSATION_BYTES_MAX = 24 * 1024 * 1024;
const CONVERSATION_MESSAGES_MAX = 20_000;

const HOLD = `
  SELECT bytes >= ? OR message_count >= ? AS "isFull" FROM conversation
  WHERE workspace_id = ? AND id = ? FOR NO KEY UPDATE`;

const RUNNING = `SELECT FROM debate WHERE conversation_id = ? AND state = 'running'`;

const insertDebate = async (
  em: Transaction,
  { workspaceId, debate, lease, leaseMs }: Beginning,
): Promise<{ id: string; fingerprint: string }> => {
  const { place } = debate;
  const [kept] = await em.execute<{ id: string; fingerprint: string }[]>(INSERT, [
    debate.id,
    workspaceId,
    ...(place.kind === 'conversation'
      ? [place.conversationId, place.messageId, null, null]
      : [null, null, place.owner, place.key]),
    debate.question,
    debate.briefing,
    debate.requestSha256,
    debate.requestId,
    JSON.stringify(debate.config),
    debate.fingerprint,
    lease,
    leaseMs,
    debate.createdAt.toISOString(),
  ]);
  return kept!;
};

/** A panel that is there is answered, whoever wrote it a moment ago. */
const INSERT = `
  INSERT INTO debate (
    id, workspace_id, conversation_id, message_id, owner, key, question, briefing, request_sha256,
    request_id, config, fingerprint, lease, attempts, last_seq, due_at, created_at
  ) VALUES (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::json, ?, ?, 1, 1,
    clock_timestamp() + make_interval(secs => ? / 1000.0), ?
  )
  ON CONFLICT (workspace_id, owner, key) WHERE owner IS NOT NULL DO UPDATE SET key = excluded.key
  RETURNING id, fingerprint`;

const INSERT_MESSAGE = `
  INSERT INTO conversation_message (
    id, workspace_id, conversation_id, debate_id, sender_type, created_at
  ) VALUES (?, ?, ?, ?, 'user', ?)`;

const COUNT_IN = `
  UPDATE conversation SET message_count = message_count + 1, bytes = bytes + ? WHERE id = ?`;

const INSERT_EVENT = `
  INSERT INTO debate_event (debate_id, seq, workspace_id, kind, round_number, agent_id)
  VALUES (?, 1, ?, 'started', 0, '')`;

const debateRunning = (): ServiceError =>
  conflict('The council still debates a message of this conversation; wait until it is done.', {
    code: 'debate_running',
  });

const conversationFull = (): ServiceError =>
  conflict('As much was said in this conversation as it keeps; begin a new one.', {
    code: 'conversation_full',
  });

const keyReused = (): ServiceError =>
  conflict('A panel with this key was asked something else.', { code: 'panel_key_reused' });
