import { rowSecuritySql } from '../database/scope.ts';

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
 * it.
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
