import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class Workspaces extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE workspace (
        id text PRIMARY KEY,
        name text NOT NULL,
        owner_id text NOT NULL,
        created_at timestamptz NOT NULL
      )`);
    this.addSql(`
      CREATE TABLE api_key (
        id text PRIMARY KEY,
        lookup_id text NOT NULL UNIQUE,
        workspace_id text NOT NULL REFERENCES workspace,
        user_id text NOT NULL,
        name text NOT NULL,
        secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz,
        revoked_at timestamptz
      )`);
    this.addSql(`CREATE INDEX api_key_workspace ON api_key (workspace_id)`);
    this.addSql(`
      CREATE TABLE audit (
        id text PRIMARY KEY,
        workspace_id text NOT NULL,
        action text NOT NULL,
        subject text NOT NULL,
        actor text NOT NULL,
        at timestamptz NOT NULL
      )`);
    this.addSql(`
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
      END $$`);
    this.addSql(`
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`);
    this.addSql(rowSecuritySql('api_key'));
    this.addSql(rowSecuritySql('audit'));
  }
}
