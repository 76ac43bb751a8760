import { rowSecuritySql } from '../database/scope.ts';

/**
 * Returns the DDL of the tables of a consumer, for use in a migration: `inbox` prevents handling an
 * event twice, `dead_fact` stores dead events. Inbox rows contain only ids and belong to no
 * workspace.
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
