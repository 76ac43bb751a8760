import type { Database } from '../database/open-database.ts';
import { sweepRows } from '../database/sweep-rows.ts';

/** Longer than a redelivery is possible: stream and outbox both retain events for 7 days. */
const RETENTION_DAYS = 30;

export const sweepInbox = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'inbox',
    key: 'fact_id',
    since: 'booked_at',
    retentionDays: RETENTION_DAYS,
  });
