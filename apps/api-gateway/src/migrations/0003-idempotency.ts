import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class Idempotency extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE idempotency_record (
        workspace_id text NOT NULL,
        key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
        request_hash text NOT NULL CHECK (length(request_hash) = 64),
        state text NOT NULL CHECK (state IN ('running', 'done')),
        claim_id text NOT NULL,
        proof_id text NOT NULL,
        status integer,
        sealed_answer text,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        lease_until timestamptz NOT NULL,
        PRIMARY KEY (workspace_id, key),
        CHECK ((state = 'done') = (status IS NOT NULL AND sealed_answer IS NOT NULL))
      )`);
    // EXTERNAL turns compression off: encrypted data cannot be compressed, and every attempt would
    // cost time.
    this.addSql(`ALTER TABLE idempotency_record ALTER COLUMN sealed_answer SET STORAGE EXTERNAL`);
    this.addSql(`CREATE INDEX idempotency_record_due ON idempotency_record (expires_at)`);
    this.addSql(rowSecuritySql('idempotency_record'));
  }
}
