import { rowSecuritySql, everyWorkspace } from '../database/scope.ts';
import type { Database, Transaction } from '../database/open-database.ts';
import { sweepRows } from '../database/sweep-rows.ts';
import type { Publication } from './event-transport.ts';

export type OutboxRow = {
  id: string;
  workspace_id: string;
  type: string;
  time: string;
  trace: Record<string, string>;
  payload: Uint8Array;
};

/**
 * SQL condition without parameters, so that PostgreSQL can use the partial index with the same
 * condition.
 */
export const UNPUBLISHED = 'published_at IS NULL AND dead_at IS NULL';

/**
 * Name of the NOTIFY channel of an outbox. Contains the schema, because channel names are shared by
 * all schemas of a database.
 */
export const OUTBOX_CHANNEL_SQL = `'outbox.' || current_schema()`;

/**
 * Returns the DDL of a publisher's outbox, for use in a migration. `position` preserves the order
 * of writing, unlike ids, which depend on the clocks of several processes. `stream_mark` identifies
 * the incarnation of the stream that acknowledged the event, and `stream_sequence` the message in
 * it; both are null if consumers of the same process handled it.
 */
export const outboxSql = (): string => `
  CREATE TABLE outbox (
    id uuid PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    type text NOT NULL,
    occurred_at timestamptz NOT NULL,
    trace jsonb NOT NULL,
    payload bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz,
    stream_mark text COLLATE "C",
    stream_sequence bigint,
    dead_at timestamptz,
    error_class text,
    CHECK (published_at IS NULL OR dead_at IS NULL),
    CHECK ((dead_at IS NULL) = (error_class IS NULL))
  );
  CREATE INDEX outbox_waiting ON outbox (position) WHERE ${UNPUBLISHED};
  CREATE INDEX outbox_published ON outbox (published_at) WHERE published_at IS NOT NULL;
  CREATE INDEX outbox_place ON outbox (stream_mark, stream_sequence)
    WHERE published_at IS NOT NULL;
  CREATE INDEX outbox_dead ON outbox (dead_at) WHERE dead_at IS NOT NULL;
  CREATE INDEX outbox_created ON outbox (created_at);
  ${rowSecuritySql('outbox')}`;

export const BATCH_ROWS = 100;
/**
 * Longest time for which a relay waits for the lease. Then it publishes without the lease, because
 * the relay that has it may hang.
 */
const LEASE_WAIT_MAX_MS = 3_000;

const RETENTION_DAYS = 7;
const COUNTED_MAX = 100_000;

/**
 * Returns a function that locks the next rows until the transaction ends. It returns none while
 * another relay has the lease, so that normally only one relay publishes at a time and events stay
 * in order (see `LEASE_WAIT_MAX_MS` for the exception).
 */
export const createBatchReader = () => {
  let leaseDeniedAtMs: number | undefined;
  return async (em: Transaction, exceptIds: readonly string[] = []): Promise<OutboxRow[]> => {
    const hasLease = await acquireOutboxLease(em);
    leaseDeniedAtMs = hasLease ? undefined : (leaseDeniedAtMs ?? performance.now());
    const mayRead = hasLease || performance.now() - leaseDeniedAtMs! > LEASE_WAIT_MAX_MS;
    return mayRead ? lockUnpublished(em, exceptIds) : [];
  };
};

const acquireOutboxLease = async (em: Transaction): Promise<boolean> => {
  const [row] = await em.execute<{ taken: boolean }[]>(
    `SELECT pg_try_advisory_xact_lock(
       hashtext('outbox relay'), hashtext(current_schema())) AS taken`,
  );
  return row!.taken;
};

const lockUnpublished = (em: Transaction, exceptIds: readonly string[]): Promise<OutboxRow[]> =>
  em.execute<OutboxRow[]>(
    `SELECT id, workspace_id, type, trace, payload,
       to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS time
     FROM outbox WHERE ${UNPUBLISHED} AND id <> ALL (?::uuid[])
     ORDER BY position LIMIT ? FOR UPDATE SKIP LOCKED`,
    [`{${exceptIds.join(',')}}`, BATCH_ROWS],
  );

/** Marks events published or dead, except those that another relay has marked meanwhile. */
export const markPublications = async (
  em: Transaction,
  publications: readonly Publication[],
  mark: string | null,
): Promise<void> => {
  const publishedRows = publications.flatMap((event) =>
    event.outcome === 'published' ? [{ id: event.id, sequence: event.sequence }] : [],
  );
  const deadRows = publications.flatMap((event) =>
    event.outcome === 'dead' ? [{ id: event.id, error_class: event.errorClass }] : [],
  );
  if (publishedRows.length > 0) {
    await em.execute(
      `UPDATE outbox
       SET published_at = clock_timestamp(), stream_mark = ?, stream_sequence = sent.sequence
       FROM jsonb_to_recordset(?::jsonb) AS sent(id uuid, sequence bigint)
       WHERE outbox.id = sent.id AND ${UNPUBLISHED}`,
      [mark, JSON.stringify(publishedRows)],
    );
  }
  if (deadRows.length > 0) {
    await em.execute(
      `UPDATE outbox SET dead_at = clock_timestamp(), error_class = dead.error_class
       FROM jsonb_to_recordset(?::jsonb) AS dead(id uuid, error_class text)
       WHERE outbox.id = dead.id AND ${UNPUBLISHED}`,
      [JSON.stringify(deadRows)],
    );
  }
};

export const sweepOutbox = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'outbox',
    key: 'id',
    since: 'published_at',
    retentionDays: RETENTION_DAYS,
  });

export type OutboxState = { waiting: number; dead: number; oldestSeconds: number };

/**
 * Counts the waiting and dead events of an outbox, at most COUNTED_MAX of each. The transaction
 * needs the scope of every workspace. `toOutboxState` converts the only row.
 */
export const OUTBOX_STATE_SQL = `
  SELECT
    (SELECT count(*) FROM (SELECT FROM outbox WHERE ${UNPUBLISHED} LIMIT ${COUNTED_MAX}) AS w)
      AS waiting,
    (SELECT count(*) FROM (SELECT FROM outbox WHERE dead_at IS NOT NULL LIMIT ${COUNTED_MAX}) AS d)
      AS dead,
    (SELECT extract(epoch FROM now() - created_at) FROM outbox WHERE ${UNPUBLISHED}
     ORDER BY position LIMIT 1) AS oldest`;

export type OutboxStateRow = Record<'waiting' | 'dead' | 'oldest', string | null>;

export const toOutboxState = ({ waiting, dead, oldest }: OutboxStateRow): OutboxState => ({
  waiting: Number(waiting),
  dead: Number(dead),
  oldestSeconds: Math.max(0, Number(oldest ?? 0)),
});

export const readOutboxState = async (database: Database): Promise<OutboxState> => {
  const [row] = await database.scoped(everyWorkspace, (em) =>
    em.execute<OutboxStateRow[]>(OUTBOX_STATE_SQL),
  );
  return toOutboxState(row!);
};
