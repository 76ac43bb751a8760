import type { IdempotencyRecords } from './records.ts';

/** Small, so that no statement holds many rows for long. */
export const DELETE_BATCH = 500;
/** Of one round; what is left waits for the next. */
const BATCHES_MAX = 100;

/** Deletes records whose time is over, batch after batch. */
export const deleteExpired = async (
  deleteBatch: IdempotencyRecords['deleteExpired'],
): Promise<void> => {
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    if ((await deleteBatch(DELETE_BATCH)) < DELETE_BATCH) return;
  }
};
