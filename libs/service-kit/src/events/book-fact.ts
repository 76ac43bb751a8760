import type { Database, Transaction } from '../database/open-database.ts';
import { sweepRows } from '../database/sweep-rows.ts';

/**
 * Notes in the inbox that the caller's transaction handles the fact. False when it was handled
 * before; of two at the same time, one waits for the other's commit.
 */
export const bookFact = async (em: Transaction, factId: string): Promise<boolean> => {
  const rows = await em.execute<object[]>(
    'INSERT INTO inbox (fact_id) VALUES (?) ON CONFLICT DO NOTHING RETURNING fact_id',
    [factId],
  );
  return rows.length === 1;
};

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
