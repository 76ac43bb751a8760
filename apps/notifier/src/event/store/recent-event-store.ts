import { sweepRows, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Position, RecentEvent, RecentEvents } from '../follow-events.ts';

const BEGINNING: Position = { tx: '0', seq: '0' };

/** The first position that a running or later transaction can have. */
const END = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS tx, '0' AS seq`;

const FIND = `
  SELECT tx::text AS tx, seq::text AS seq FROM recent_event WHERE workspace_id = $1 AND id = $2`;

const READ = `
  SELECT id, body, tx::text AS tx, seq::text AS seq FROM recent_event
  WHERE workspace_id = $1 AND (tx, seq) > ($2::text::xid8, $3::bigint)
    AND tx < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY workspace_id, recent_event.tx, recent_event.seq LIMIT $4`;

type EventRow = Pick<RecentEvent, 'id' | 'body'> & Position;

export const createRecentEvents = (database: Database): RecentEvents => ({
  findPosition: (workspaceId, eventId) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { rows } =
        eventId === ''
          ? await client.query<Position>(END)
          : await client.query<Position>(FIND, [workspaceId, eventId]);
      return rows[0] ?? BEGINNING;
    }),
  readAfter: (workspaceId, { tx, seq }, limit) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { rows } = await client.query<EventRow>(READ, [workspaceId, tx, seq, limit]);
      return rows.map((row) => ({
        id: row.id,
        body: row.body,
        position: { tx: row.tx, seq: row.seq },
      }));
    }),
});

const RETENTION_DAYS = 1;

export const sweepRecentEvents = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'recent_event',
    // The physical position of a row is used instead of its key, which has three columns.
    key: 'ctid',
    since: 'created_at',
    retentionDays: RETENTION_DAYS,
  });
