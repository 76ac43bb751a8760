import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class Books extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE signing_key (
        key_id text PRIMARY KEY,
        public_key text NOT NULL,
        not_before timestamptz NOT NULL,
        not_after timestamptz,
        CHECK (not_after >= not_before)
      )`);
    this.addSql(`
      CREATE TABLE chain_issuer (
        only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
        issuer text NOT NULL
      )`);
    this.addSql(`CREATE UNIQUE INDEX one_current_key ON signing_key ((true))
      WHERE not_after IS NULL`);
    this.addSql(`
      CREATE TABLE chain_head (
        workspace_id text PRIMARY KEY,
        chain_index bigint NOT NULL CHECK (chain_index >= -1),
        hash text NOT NULL,
        issued_at timestamptz NOT NULL
      ) WITH (fillfactor = 50)`);
    this.addSql(`
      CREATE TABLE certificate (
        id text PRIMARY KEY,
        workspace_id text NOT NULL,
        chain_index bigint NOT NULL CHECK (chain_index >= 0),
        payload text NOT NULL,
        payload_hash text NOT NULL,
        signature text NOT NULL,
        key_id text NOT NULL,
        UNIQUE (workspace_id, chain_index)
      )`);
    this.addSql(`
      CREATE TABLE reservation (
        id text PRIMARY KEY,
        workspace_id text NOT NULL,
        amount bigint NOT NULL CHECK (amount >= 0),
        state text NOT NULL CHECK (state IN ('held', 'settled', 'released')),
        intent bytea,
        expires_at timestamptz NOT NULL,
        sent_at timestamptz
      )`);
    this.addSql(`CREATE INDEX reservation_due ON reservation (expires_at) WHERE state = 'held'`);
    this.addSql(`
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
      END $$`);
    this.addSql(`
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON certificate
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`);
    for (const table of ['chain_head', 'certificate', 'reservation']) {
      this.addSql(rowSecuritySql(table));
    }
  }
}
