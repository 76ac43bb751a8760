import type { Database } from './open-database.ts';
import { everyWorkspace } from './scope.ts';

/** Which rows of a table are forgotten. SQL of the code's own: none of it comes from a caller. */
export type Sweep = {
  table: string;
  /** The column of the primary key. */
  key: string;
  /** The column of the time from which on a row is kept; a row without it stays. */
  since: string;
  retentionDays: number;
  /** What must be true of a row besides. */
  where?: string;
};

/** A transaction of one batch is short: nobody waits for a lock of it. */
const BATCH_ROWS = 1_000;
/** One sweep; the next one takes the rest. */
const BATCHES_MAX = 100;

/** Deletes rows of every workspace that are old. Answers how many. Replicas may sweep at once. */
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
