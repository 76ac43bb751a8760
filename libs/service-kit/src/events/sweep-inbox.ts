import type { Database } from '../database/open-database.ts';
import { sweepRows } from '../database/sweep-rows.ts';

/**
 * Far longer than a fact can come again: the stream keeps it for 7 days, and so does the outbox
 * that may send it once more.
 */
const KEPT_DAYS = 30;

/** Forgets facts that were handled long ago. Answers how many. */
export const sweepInbox = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'inbox',
    key: 'fact_id',
    since: 'booked_at',
    keptDays: KEPT_DAYS,
  });
