import type { Database, Transaction } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';

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
const BATCH_ROWS = 1_000;
const BATCHES_MAX = 100;

/** Forgets facts that were handled long ago. Answers how many. */
export const sweepInbox = async (database: Database): Promise<number> => {
  let swept = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const rows = await database.scoped(everyWorkspace, (em) =>
      em.execute<object[]>(
        `DELETE FROM inbox WHERE fact_id IN (
           SELECT fact_id FROM inbox WHERE booked_at < now() - make_interval(days => ?)
           ORDER BY booked_at LIMIT ? FOR UPDATE SKIP LOCKED
         ) RETURNING fact_id`,
        [KEPT_DAYS, BATCH_ROWS],
      ),
    );
    swept += rows.length;
    if (rows.length < BATCH_ROWS) break;
  }
  return swept;
};
