import type { Database } from '../database/open-database.ts';
import { sweepRows } from '../database/sweep-rows.ts';

/**
 * Must exceed the 7 days for which stream and outbox retain events, the longest time until a
 * redelivery.
 */
const RETENTION_DAYS = 30;

export const sweepInbox = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'inbox',
    key: 'fact_id',
    since: 'booked_at',
    retentionDays: RETENTION_DAYS,
  });
