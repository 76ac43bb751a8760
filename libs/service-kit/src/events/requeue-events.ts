import { Client } from 'pg';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace, SCOPE_SETTING } from '../database/scope.ts';
import { OUTBOX_CHANNEL_SQL } from './outbox-store.ts';

const BATCH_ROWS = 1_000;
const BATCHES_MAX = 100_000;
const CONNECT_TIMEOUT_MS = 5_000;

export type StreamState = {
  mark: string;
  lastSequence: number;
};

/**
 * Requeues published events that the stream no longer has, because it was recreated after it
 * acknowledged them or now ends before their sequence. Returns the number of requeued events.
 */
export const requeueLostEvents = async (
  database: Database,
  { mark, lastSequence }: StreamState,
): Promise<number> => {
  // Two ranges (`<` and `>`) instead of `<>`, so that PostgreSQL can use the index. Neither has
  // events without a mark, which consumers of the same process have handled.
  const counts = [
    await requeueWhere(database, 'stream_mark < ?', [mark]),
    await requeueWhere(database, 'stream_mark > ?', [mark]),
    await requeueWhere(database, 'stream_mark = ? AND stream_sequence > ?', [mark, lastSequence]),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
};

/**
 * Requeues the next events that a stream acknowledged, because they may not have been consumed and
 * the stream is no longer used.
 */
export const requeueStreamEvents = async (
  database: Database,
): Promise<{ requeued: number; hasMore: boolean }> => {
  const requeued = await requeueBatch(database, 'stream_mark IS NOT NULL', []);
  return { requeued, hasMore: requeued === BATCH_ROWS };
};

const requeueWhere = (
  database: Database,
  condition: string,
  values: readonly (string | number)[],
): Promise<number> => inBatches(() => requeueBatch(database, condition, values));

const requeueBatch = (
  database: Database,
  condition: string,
  values: readonly (string | number)[],
): Promise<number> =>
  database.scoped(everyWorkspace, async (em) => {
    const sql = requeueSql(`published_at IS NOT NULL AND ${condition}`);
    return (await em.execute<object[]>(sql, [...values])).length;
  });

/**
 * Requeues published and dead events created since `since`, so that the relay publishes them again
 * with the same ids. Returns the number of requeued events, or undefined when the schema has no
 * outbox.
 */
export const republishEvents = async (
  databaseUrl: string,
  since: Date,
): Promise<number | undefined> => {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT to_regclass('outbox') AS outbox`);
    if (rows[0].outbox === null) return undefined;
    await client.query('SELECT set_config($1, $2, false)', [SCOPE_SETTING, everyWorkspace.setting]);
    // Only events published or marked dead before this time are requeued; otherwise those that the
    // relay publishes meanwhile would be requeued endlessly.
    const { rows: clock } = await client.query<{ now: string }>('SELECT now()::text AS now');
    const unchanged = `coalesce(published_at, dead_at) <= $2::timestamptz`;
    const sql = requeueSql(`created_at >= $1 AND ${unchanged}`);
    const requeued = await inBatches(async () => {
      const { rowCount } = await client.query(sql, [since, clock[0]!.now]);
      return rowCount ?? 0;
    });
    await client.query(`SELECT pg_notify(${OUTBOX_CHANNEL_SQL}, '')`);
    return requeued;
  } finally {
    await client.end();
  }
};

const requeueSql = (condition: string): string => `
  UPDATE outbox
  SET published_at = NULL, stream_mark = NULL, stream_sequence = NULL,
    dead_at = NULL, error_class = NULL
  WHERE id IN (SELECT id FROM outbox WHERE ${condition} LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)
  RETURNING id`;

const inBatches = async (requeue: () => Promise<number>): Promise<number> => {
  let total = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const count = await requeue();
    total += count;
    if (count < BATCH_ROWS) break;
  }
  return total;
};
