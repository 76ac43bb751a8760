import type { Database } from '../database/open-database.ts';
import { sweepRows } from '../database/sweep-rows.ts';

/**
 * Must exceed 7 days: stream and outbox retain an event for that long, so it may be delivered again
 * until then.
 */
const RETENTION_DAYS = 30;

export const sweepInbox = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'inbox',
    key: 'fact_id',
    since: 'booked_at',
    retentionDays: RETENTION_DAYS,
  });
