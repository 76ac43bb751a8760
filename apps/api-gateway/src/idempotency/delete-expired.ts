import type { IdempotencyRecords } from './records.ts';

/** Maximum rows that one statement deletes; small, so that it does not lock many rows for long. */
export const DELETE_BATCH = 500;
const BATCHES_MAX = 100;

export const deleteExpired = async (
  deleteBatch: IdempotencyRecords['deleteExpired'],
): Promise<void> => {
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    if ((await deleteBatch(DELETE_BATCH)) < DELETE_BATCH) return;
  }
};
