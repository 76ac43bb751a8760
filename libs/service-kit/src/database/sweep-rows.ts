import type { Database } from './open-database.ts';
import { everyWorkspace } from './scope.ts';

/**
 * Describes which old rows of a table to delete. All members except `retentionDays` become part of
 * the SQL text, so they must be constants, never client input.
 */
export type Sweep = {
  table: string;
  key: string;
  /**
   * Timestamp column at which the retention period starts. Rows with NULL in it are not deleted.
   */
  since: string;
  retentionDays: number;
  where?: string;
};

const BATCH_ROWS = 1_000;
const BATCHES_MAX = 100;

/**
 * Deletes the rows that `sweep` describes, in all workspaces and at most 100,000 in a call, and
 * returns their number. Replicas may sweep concurrently.
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
