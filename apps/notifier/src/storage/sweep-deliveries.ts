import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/** The log shows the last 50 of a webhook; older ones serve questions only. */
const KEPT_DAYS = 30;
const BATCH_ROWS = 1_000;
/** One sweep; the next one takes the rest. */
const BATCHES_MAX = 100;

/** Deletes deliveries that ended long ago. Answers how many. Replicas may sweep at once. */
export const sweepDeliveries = async (database: Database): Promise<number> => {
  let swept = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const rows = await database.scoped(everyWorkspace, (em) =>
      em.execute<object[]>(DELETE_OLD, [KEPT_DAYS, BATCH_ROWS]),
    );
    swept += rows.length;
    if (rows.length < BATCH_ROWS) break;
  }
  return swept;
};

const DELETE_OLD = `
  DELETE FROM delivery WHERE id IN (
    SELECT id FROM delivery
    WHERE state <> 'pending' AND created_at < now() - make_interval(days => ?)
    ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED
  ) RETURNING id`;
