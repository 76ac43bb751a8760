import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class ConsoleSessions extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE console_session (
        id text PRIMARY KEY,
        workspace_id text NOT NULL,
        key_id text NOT NULL REFERENCES api_key ON DELETE CASCADE,
        cookie_hash bytea NOT NULL UNIQUE CHECK (length(cookie_hash) = 32),
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    this.addSql(`
      CREATE INDEX console_session_newest
      ON console_session (workspace_id, created_at DESC, id DESC)`);
    this.addSql(`CREATE INDEX console_session_due ON console_session (expires_at)`);
    this.addSql(`CREATE INDEX console_session_key ON console_session (key_id)`);
    this.addSql(rowSecuritySql('console_session'));
    this.addSql(`
      CREATE TABLE console_link (
        token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
        workspace_id text NOT NULL,
        key_id text NOT NULL REFERENCES api_key ON DELETE CASCADE,
        expires_at timestamptz NOT NULL
      )`);
    this.addSql(`CREATE INDEX console_link_due ON console_link (expires_at)`);
    this.addSql(`CREATE INDEX console_link_key ON console_link (key_id)`);
    this.addSql(rowSecuritySql('console_link'));
  }
}
