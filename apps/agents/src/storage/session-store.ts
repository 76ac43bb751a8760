import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { Session, SessionStore, TurnRecord } from '../domain/chat/session.ts';
import { noSuchSession } from '../domain/chat/sessions.ts';
import { noSuchAgent } from '../domain/agent/agents.ts';
import { MessageEntity, SessionEntity } from './entities.ts';
import { holdAgent } from './memory-scope.ts';
import type { SaveTurnMemories } from './memory-store.ts';

type NewId = (prefix: string) => string;

/** Chat sessions in Postgres. */
export const createSessionStore = (
  database: Database,
  newId: NewId,
  saveMemories: SaveTurnMemories,
): SessionStore => ({
  insert: (workspaceId, session) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await insertSession(em, { ...session, workspaceId });
    }),
  list: (workspaceId, agentId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const rows = await em.execute<SessionRow[]>(LIST, [
        workspaceId,
        agentId,
        after ?? null,
        after ?? null,
        limit,
      ]);
      return rows.map(toSession);
    }),
  find: (workspaceId, agentId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(SessionEntity, { workspaceId, agentId, id });
      if (!row) return undefined;
      const where = { workspaceId, sessionId: id };
      const messages = await em.find(MessageEntity, where, { orderBy: { position: 'asc' } });
      const { title, createdAt, messageCount } = row;
      return { session: { id, title, createdAt, messageCount }, messages: messages.map(toMessage) };
    }),
  delete: (workspaceId, agentId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      return (await em.nativeDelete(SessionEntity, { workspaceId, agentId, id })) > 0;
    }),
  loadHistory: (workspaceId, agentId, id, limit) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(SessionEntity, { workspaceId, agentId, id });
      if (!row) return undefined;
      const newest = await em.find(
        MessageEntity,
        { workspaceId, sessionId: id },
        { orderBy: { position: 'desc' }, limit },
      );
      const messages = newest
        .toReversed()
        .map((message) => ({ ...toMessage(message), position: message.position }));
      return { messages, summary: row.summary, summaryUntil: row.summaryUntil };
    }),
  saveTurn: (workspaceId, turn) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // In the order in which a deletion takes them.
      if (!(await holdAgent(em, { workspaceId, agentId: turn.agentId }))) throw noSuchAgent();
      await holdSession(em, workspaceId, turn);
      const { sessionId, agentName, question, answer, proofIds, agentId } = turn;
      const base = { workspaceId, sessionId };
      await em.insertMany(MessageEntity, [
        { ...base, id: newId('msg'), senderType: 'user', content: question },
        { ...base, id: newId('msg'), senderType: 'agent', agentName, content: answer, proofIds },
      ] as never[]);
      const { memories, used } = turn;
      // Last, as it asks.
      const saved = await saveMemories(em, { workspaceId, agentId, sessionId, memories, used });
      return saved.map(({ key, value, type }) => ({ key, value, type }));
    }),
  saveSummary: (workspaceId, id, { text, until }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // One that reaches further was made meanwhile.
      const where = { workspaceId, id, summaryUntil: { $lt: until } };
      await em.nativeUpdate(SessionEntity, where, { summary: text, summaryUntil: until });
    }),
});

/** Makes the session if it is new; else it, and with it the order of its messages, is held. */
const holdSession = async (
  em: Transaction,
  workspaceId: string,
  { agentId, sessionId, newTitle }: TurnRecord,
): Promise<void> => {
  if (newTitle !== undefined) {
    const session = { id: sessionId, workspaceId, agentId, title: newTitle, createdAt: new Date() };
    await insertSession(em, { ...session, messageCount: 2 });
    return;
  }
  const held = await em.execute<object[]>(TOUCH, [workspaceId, agentId, sessionId]);
  if (held.length === 0) throw noSuchSession();
};

const FOREIGN_KEY_VIOLATION = '23503';

const insertSession = async (
  em: Transaction,
  session: {
    id: string;
    workspaceId: string;
    agentId: string;
    title: string;
    createdAt: Date;
    messageCount?: number;
  },
): Promise<void> => {
  try {
    await em.execute(INSERT, [
      session.id,
      session.workspaceId,
      session.agentId,
      session.title,
      session.messageCount ?? 0,
      session.createdAt,
    ]);
  } catch (error) {
    // It was deleted while it answered.
    if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) throw noSuchAgent();
    throw error;
  }
};

const INSERT = `
  INSERT INTO session (id, workspace_id, agent_id, title, message_count, created_at)
  VALUES (?, ?, ?, ?, ?, ?)`;

const TOUCH = `
  UPDATE session SET active_at = clock_timestamp(), message_count = message_count + 2
  WHERE workspace_id = ? AND agent_id = ? AND id = ? RETURNING id`;

/** From the place of one session on, by activity; one that was deleted meanwhile begins anew. */
const LIST = `
  SELECT id, title, message_count AS "messageCount", created_at AS "createdAt" FROM session
  WHERE workspace_id = ? AND agent_id = ? AND (
    ?::text IS NULL OR (active_at, id) < (
      SELECT last.active_at, last.id FROM session AS last WHERE last.id = ?
    )
  )
  ORDER BY active_at DESC, id DESC LIMIT ?`;

type SessionRow = Omit<Session, 'createdAt'> & { createdAt: Date | string };

const toSession = ({ createdAt, ...session }: SessionRow): Session => ({
  ...session,
  createdAt: new Date(createdAt),
});

const toMessage = (row: { senderType: 'user' | 'agent'; agentName: string; content: string }) => ({
  senderType: row.senderType,
  agentName: row.agentName,
  content: row.content,
});
