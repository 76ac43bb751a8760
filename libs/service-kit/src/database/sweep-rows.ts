import type { Database } from './open-database.ts';
import { everyWorkspace } from './scope.ts';

/** Describes old rows of a table to delete. The SQL parts must not come from a caller. */
export type Sweep = {
  table: string;
  key: string;
  /** Timestamp column from which the retention counts. Rows with NULL are retained. */
  since: string;
  retentionDays: number;
  where?: string;
};

const BATCH_ROWS = 1_000;
const BATCHES_MAX = 100;

/**
 * Deletes old rows of every workspace. Returns the number of deleted rows. Replicas may sweep
 * concurrently.
 */
export const sweepRows = async (database: Database, sweep: Sweep): Promise<number> => {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const rows = await database.scoped(everyWorkspace, (em) =>
      em.execute<object[]>(deleteSql(sweep), [sweep.retentionDays, BATCH_ROWS]),
    );
    deleted += rows.length;
    if (rows.length < BATCH_ROWS) break;
  }
  return deleted;
};

const deleteSql = ({ table, key, since, where = 'true' }: Sweep): string => `
  DELETE FROM ${table} WHERE ${key} IN (
    SELECT ${key} FROM ${table}
    WHERE ${since} < now() - make_interval(days => ?) AND ${where}
    ORDER BY ${since} LIMIT ? FOR UPDATE SKIP LOCKED
  ) RETURNING ${key}`;
