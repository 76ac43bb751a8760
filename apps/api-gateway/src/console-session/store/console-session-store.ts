import { everyWorkspace, newId, sweepRows, workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import { insertAudit } from '../../audit/store/audit-store.ts';
import type {
  ConsoleSession,
  ConsoleSessions,
  CreateConsoleLink,
  SessionOwner,
} from '../console-session.ts';
import { SESSION_SECONDS } from '../session-cookie.ts';

const LINK_SECONDS = 600;

/** Stores sessions in PostgreSQL. All times come from the database's clock. */
export const createConsoleSessions = (database: Database): ConsoleSessions => ({
  open: (owner, cookieHash) =>
    database.scoped(workspaceScope(owner.workspaceId), (em) =>
      insertSession(em, { ...owner, cookieHash, detail: 'key' }),
    ),
  redeem: (tokenHash, cookieHash) =>
    // The workspace is known only from the link.
    database.scoped(everyWorkspace, async (em) => {
      const [owner] = await em.execute<SessionOwner[]>(TAKE_LINK, [tokenHash]);
      return owner && (await insertSession(em, { ...owner, cookieHash, detail: 'link' }));
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const last = after === undefined ? undefined : await findById(em, workspaceId, after);
      if (after !== undefined && !last) return undefined;
      const rows = await em.execute<Row[]>(
        `${SELECT_OPEN} AND s.workspace_id = ? ${last ? AND_OLDER : ''} ${NEWEST_FIRST} LIMIT ?`,
        [workspaceId, ...(last ? [last.id] : []), limit],
      );
      return rows.map(toSession);
    }),
  end: (workspaceId, { id, actor, check }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const session = await findById(em, workspaceId, id);
      if (!session) return false;
      check?.(session);
      await em.execute('DELETE FROM console_session WHERE id = ?', [id]);
      const entry = { workspaceId, action: 'console_session.ended', subject: id, actor } as const;
      await insertAudit(em, [entry]);
      return true;
    }),
});

/** Returns the open session with the cookie of this SHA-256, searching all workspaces. */
export const findSession = (
  database: Database,
  cookieHash: Buffer,
): Promise<ConsoleSession | undefined> =>
  database.scoped(everyWorkspace, async (em) => {
    const [row] = await em.execute<Row[]>(`${SELECT_OPEN} AND s.cookie_hash = ?`, [cookieHash]);
    return row && toSession(row);
  });

export const createConsoleLinks =
  (database: Database): CreateConsoleLink =>
  ({ workspaceId, keyId }, tokenHash) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const values = [tokenHash, workspaceId, keyId, LINK_SECONDS];
      const [row] = await em.execute<{ expiresAt: string }[]>(INSERT_LINK, values);
      const audited = { subject: keyId, actor: keyId, workspaceId };
      await insertAudit(em, [{ ...audited, action: 'console_link.created' }]);
      return new Date(row!.expiresAt);
    });

/** Deletes sessions and links that have expired. */
export const deleteExpiredSessions = async (database: Database): Promise<void> => {
  const expired = { since: 'expires_at', retentionDays: 0 };
  await sweepRows(database, { ...expired, table: 'console_session', key: 'id' });
  await sweepRows(database, { ...expired, table: 'console_link', key: 'token_hash' });
};

type Row = Omit<ConsoleSession, 'createdAt' | 'expiresAt'> & {
  createdAt: string;
  expiresAt: string;
};

const END_OF_SESSION = 'LEAST(s.expires_at, k.expires_at, k.grace_until)';

const SELECT_OPEN = `
  SELECT s.id, s.workspace_id AS "workspaceId", w.name AS "workspaceName", k.user_id AS "userId",
    k.id AS "keyId", k.name AS "keyName", k.scopes, s.created_at AS "createdAt",
    ${END_OF_SESSION} AS "expiresAt"
  FROM console_session s
  JOIN api_key k ON k.id = s.key_id
  JOIN workspace w ON w.id = s.workspace_id
  WHERE k.revoked_at IS NULL AND ${END_OF_SESSION} > now()`;

const AND_OLDER = `
  AND (s.created_at, s.id) < (SELECT created_at, id FROM console_session WHERE id = ?)`;

const NEWEST_FIRST = 'ORDER BY s.created_at DESC, s.id DESC';

const INSERT_SESSION = `
  INSERT INTO console_session (id, workspace_id, key_id, cookie_hash, created_at, expires_at)
  VALUES (?, ?, ?, ?, now(), now() + make_interval(secs => ?))`;

const INSERT_LINK = `
  INSERT INTO console_link (token_hash, workspace_id, key_id, expires_at)
  VALUES (?, ?, ?, now() + make_interval(secs => ?))
  RETURNING expires_at AS "expiresAt"`;

/** Deletes a link that works, so of concurrent sign-ins with one link only one succeeds. */
const TAKE_LINK = `
  DELETE FROM console_link l USING api_key k
  WHERE l.token_hash = ? AND l.expires_at > now() AND k.id = l.key_id AND k.revoked_at IS NULL
    AND COALESCE(LEAST(k.expires_at, k.grace_until) > now(), true)
  RETURNING l.workspace_id AS "workspaceId", l.key_id AS "keyId"`;

const insertSession = async (
  em: Transaction,
  { workspaceId, keyId, cookieHash, detail }: SessionOwner & { cookieHash: Buffer; detail: string },
): Promise<ConsoleSession> => {
  const id = newId('cns');
  await em.execute(INSERT_SESSION, [id, workspaceId, keyId, cookieHash, SESSION_SECONDS]);
  const audited = { workspaceId, subject: id, actor: keyId, detail };
  await insertAudit(em, [{ ...audited, action: 'console_session.created' }]);
  return (await findById(em, workspaceId, id))!;
};

const findById = async (
  em: Transaction,
  workspaceId: string,
  id: string,
): Promise<ConsoleSession | undefined> => {
  const sql = `${SELECT_OPEN} AND s.workspace_id = ? AND s.id = ?`;
  const [row] = await em.execute<Row[]>(sql, [workspaceId, id]);
  return row && toSession(row);
};

const toSession = ({ createdAt, expiresAt, ...row }: Row): ConsoleSession => ({
  ...row,
  createdAt: new Date(createdAt),
  expiresAt: new Date(expiresAt),
});
