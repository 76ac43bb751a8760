import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

/**
 * Adds token accounts and their append-only entries. `posted` is the balance that the account's
 * entries add up to, `held` the part of it that calls in flight have reserved; a check keeps `held`
 * from exceeding `posted`.
 */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account (
        workspace_id text PRIMARY KEY,
        posted bigint NOT NULL CHECK (posted <= 9007199254740991),
        held bigint NOT NULL CHECK (held >= 0),
        CHECK (posted >= held)
      ) WITH (fillfactor = 50)`);
    // Double entry in one row: each amount moves from one ledger account to another.
    this.addSql(`
      CREATE TABLE entry (
        seq bigint GENERATED ALWAYS AS IDENTITY,
        id text NOT NULL,
        workspace_id text NOT NULL,
        kind text NOT NULL,
        amount bigint NOT NULL CHECK (amount > 0),
        source text NOT NULL,
        target text NOT NULL,
        certificate_id text,
        reason text,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (workspace_id, seq),
        CHECK ((kind, source, target) IN (
          ('credit', 'operator', 'account'),
          ('refund', 'account', 'operator'),
          ('usage', 'account', 'usage'),
          ('usage', 'licence', 'usage'),
          ('overrun', 'account', 'usage'))),
        CHECK ((kind IN ('usage', 'overrun')) = (certificate_id IS NOT NULL))
      )`);
    this.addSql(`CREATE UNIQUE INDEX entry_credit ON entry (id) WHERE kind = 'credit'`);
    this.addSql(`
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entry
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`);
    // `actual`: charged tokens. `unpaid`: used tokens that neither reservation nor balance covered.
    this.addSql(`
      ALTER TABLE reservation
        ADD COLUMN actual bigint CHECK (actual >= 0),
        ADD COLUMN unpaid bigint CHECK (unpaid >= 0)`);
    for (const table of ['account', 'entry']) this.addSql(rowSecuritySql(table));
  }
}
