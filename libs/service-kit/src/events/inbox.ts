import { rowSecuritySql } from '../database/scope.ts';
import type { Transaction, Database } from '../database/open-database.ts';
import type { Arrival } from './event.ts';
import { sweepRows } from '../database/sweep-rows.ts';

/**
 * Returns the DDL of the tables of a consumer, for use in a migration: `inbox` prevents handling an
 * event twice, `dead_fact` stores dead events. `inbox` has no row-level security, because it
 * contains only event ids and times.
 */
export const inboxSql = (): string => `
  CREATE TABLE inbox (
    fact_id text PRIMARY KEY,
    booked_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX inbox_booked ON inbox (booked_at);
  CREATE TABLE dead_fact (
    fact_id text PRIMARY KEY,
    workspace_id text NOT NULL,
    subject text NOT NULL,
    headers jsonb NOT NULL,
    payload bytea NOT NULL,
    attempts integer NOT NULL,
    error_class text NOT NULL,
    buried_at timestamptz NOT NULL DEFAULT now()
  );
  ${rowSecuritySql('dead_fact')}`;

/** A message that cannot be handled: it is not a valid event, or its handler failed too often. */
export type Poison = Arrival & {
  /** Id of the event, or `stream:sequence` of a message that is not a valid event. */
  id: string;
  workspaceId: string;
  attempts: number;
  errorClass: string;
  error: unknown;
};

/**
 * Stores a dead event with its payload in `dead_fact`, where an operator can inspect it. The
 * transaction's scope must be every workspace, because an invalid message belongs to none.
 */
export const markEventDead = async (em: Transaction, poison: Poison): Promise<void> => {
  await em.execute(
    `INSERT INTO dead_fact
       (fact_id, workspace_id, subject, headers, payload, attempts, error_class)
     VALUES (?, ?, ?, ?::jsonb, decode(?, 'base64'), ?, ?) ON CONFLICT DO NOTHING`,
    [
      poison.id,
      poison.workspaceId,
      poison.subject,
      JSON.stringify(poison.headers),
      Buffer.from(poison.payload).toString('base64'),
      poison.attempts,
      poison.errorClass,
    ],
  );
};

/**
 * Must exceed 14 days: an event may be published again after 7 days in the outbox and then stays in
 * the stream for 7 days.
 */
const RETENTION_DAYS = 30;

export const sweepInbox = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'inbox',
    key: 'fact_id',
    since: 'booked_at',
    retentionDays: RETENTION_DAYS,
  });
