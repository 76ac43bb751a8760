import { conflict } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type {
  CertifiedMessage,
  Message,
  PositionedMessage,
  SavedMemory,
  Session,
  SessionHistory,
  SessionStore,
  TurnRecord,
} from '../session.ts';
import { noSuchAgent } from '../../agent/agents.ts';
import { callWrite, toMemoryWrite } from '../../memory/store/write-memories.ts';
import type { TurnDeps } from '../../memory/store/write-memories.ts';

export const createSessionStore = (database: Database, deps: TurnDeps): SessionStore => ({
  insert: (workspaceId, session) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await insertSession(em, { ...session, workspaceId });
    }),
  list: (workspaceId, agentId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const last = after === undefined ? [] : await findPosition(em, [workspaceId, agentId, after]);
      const params = [workspaceId, agentId, ...last, limit];
      return (await em.execute<SessionRow[]>(listSql(last), params)).map(toSession);
    }),
  find: (workspaceId, agentId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<SessionRow[]>(FIND, [workspaceId, agentId, id]);
      if (!row) return undefined;
      const messages = await em.execute<CertifiedMessage[]>(LIST_MESSAGES, [workspaceId, id]);
      return { session: toSession(row), messages };
    }),
  delete: (workspaceId, agentId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      return (await em.execute<object[]>(DELETE, [workspaceId, agentId, id])).length > 0;
    }),
  loadHistory: (workspaceId, agentId, id, limit) =>
    loadHistory(database.query, { workspaceId, agentId, id }, limit),
  saveTurn: (workspaceId, turn) => saveTurn(database.query, { workspaceId, turn }, deps),
  saveSummary: (workspaceId, id, { text, until, isLocalOnly }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(SAVE_SUMMARY, [text, until, isLocalOnly, workspaceId, id, until]);
    }),
});

/**
 * Loads the history of a session. Chat turns use it, so it is one call of a prepared function,
 * which also sets the scope of row-level security.
 */
const loadHistory = async (
  query: Database['query'],
  { workspaceId, agentId, id }: { workspaceId: string; agentId: string; id: string },
  limit: number,
): Promise<SessionHistory | undefined> => {
  const scope = workspaceScope(workspaceId).setting;
  const [session, ...rows] = await query<HistoryRow>({
    name: 'load_session_history',
    text: 'SELECT * FROM load_session_history($1, $2, $3, $4, $5)',
    values: [scope, agentId, id, limit, HISTORY_BYTES_MAX],
  });
  const marks = rows.pop();
  if (!session || !marks) return undefined;
  // Checked before the model call, because the answer of a full session could not be stored.
  if (session.bytes >= SESSION_BYTES_MAX || session.message_count >= SESSION_MESSAGES_MAX) {
    throw sessionFull();
  }
  return {
    messages: rows.map(toPlacedMessage),
    summary: session.summary,
    summaryUntil: session.position,
    isLocalOnly: marks.local_only,
    isTainted: marks.tainted,
  };
};

/**
 * Row of a history: the first row is the session, the last one its marks, and the others are
 * messages.
 */
type HistoryRow = {
  bytes: number;
  message_count: number;
  summary: string;
  position: number;
  sender_type: Message['senderType'];
  agent_name: string;
  content: string;
  local_only: boolean;
  tainted: boolean;
};

const toPlacedMessage = (row: HistoryRow): PositionedMessage => ({
  senderType: row.sender_type,
  agentName: row.agent_name,
  content: row.content,
  position: row.position,
});

const saveTurn = (
  query: Database['query'],
  { workspaceId, turn }: { workspaceId: string; turn: TurnRecord },
  deps: TurnDeps,
): Promise<SavedMemory[]> => {
  const { newId } = deps;
  return callWrite(query, toMemoryWrite(turn, deps), {
    name: 'save_chat_turn',
    call: `save_chat_turn($1,
      ROW($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)::chat_turn, $13, $14, $15, $16)`,
    values: [
      workspaceScope(workspaceId).setting,
      turn.agentId,
      turn.sessionId,
      turn.newTitle ?? null,
      newId('msg'),
      turn.question,
      newId('msg'),
      turn.answer,
      turn.agentName,
      turn.proofIds,
      turn.isLocalOnly,
      turn.isTainted,
    ],
  });
};

const FOREIGN_KEY_VIOLATION = '23503';

const insertSession = async (
  em: Transaction,
  session: Omit<Session, 'messageCount'> & { workspaceId: string; agentId: string },
): Promise<void> => {
  const { id, workspaceId, agentId, title, createdAt, isLocalOnly } = session;
  try {
    await em.execute(INSERT, [id, workspaceId, agentId, title, createdAt, isLocalOnly]);
  } catch (error) {
    if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) throw noSuchAgent();
    throw error;
  }
};

const INSERT = `
  INSERT INTO session (id, workspace_id, agent_id, title, created_at, local_only)
  VALUES (?, ?, ?, ?, ?, ?)`;

/**
 * Returns a session's position in the list; empty if the session was deleted, in which case the
 * list restarts.
 */
const findPosition = async (em: Transaction, key: string[]): Promise<string[]> => {
  // The time is read as text, because a JavaScript date would lose the microseconds.
  const [row] = await em.execute<{ activeAt: string; id: string }[]>(
    `SELECT active_at::text AS "activeAt", id FROM session
     WHERE workspace_id = ? AND agent_id = ? AND id = ?`,
    key,
  );
  return row ? [row.activeAt, row.id] : [];
};

const COLUMNS = `
  id, title, message_count AS "messageCount", created_at AS "createdAt",
  local_only AS "isLocalOnly"`;

const listSql = (last: readonly string[]): string => `
  SELECT ${COLUMNS} FROM session
  WHERE workspace_id = ? AND agent_id = ?
    ${last.length === 0 ? '' : 'AND (active_at, id) < (?::timestamptz, ?)'}
  ORDER BY active_at DESC, id DESC LIMIT ?`;

const FIND = `SELECT ${COLUMNS} FROM session WHERE workspace_id = ? AND agent_id = ? AND id = ?`;

const LIST_MESSAGES = `
  SELECT sender_type AS "senderType", agent_name AS "agentName", content, proof_ids AS "proofIds"
  FROM message
  WHERE workspace_id = ? AND session_id = ? ORDER BY position`;

const DELETE =
  'DELETE FROM session WHERE workspace_id = ? AND agent_id = ? AND id = ? RETURNING id';

/** Skips the update if the stored summary covers as many messages or more. */
const SAVE_SUMMARY = `
  UPDATE session SET summary = ?, summary_until = ?, local_only = local_only OR ?
  WHERE workspace_id = ? AND id = ? AND summary_until < ?`;

/**
 * Size from which a session accepts no further turn. A session is returned whole in one message
 * between services, whose limit is 40 MiB.
 */
const SESSION_BYTES_MAX = 24 * 1024 * 1024;
const SESSION_MESSAGES_MAX = 20_000;
/**
 * Maximum size of the history that a chat turn reads, in UTF-8 bytes; larger than the context
 * window of common models.
 */
const HISTORY_BYTES_MAX = 8 * 1024 * 1024;

const sessionFull = (): ServiceError =>
  conflict('As much was said in this session as it keeps; begin a new one.', {
    code: 'session_full',
    param: 'sessionId',
  });

type SessionRow = Omit<Session, 'createdAt'> & { createdAt: Date | string };

const toSession = ({ createdAt, ...session }: SessionRow): Session => ({
  ...session,
  createdAt: new Date(createdAt),
});
