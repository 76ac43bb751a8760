import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class StoredResponses extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE stored_response (
        workspace_id text NOT NULL,
        id text NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
        previous_id text NOT NULL,
        sealed_response text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (workspace_id, id)
      )`);
    // EXTERNAL turns compression off: encrypted data cannot be compressed, and every attempt would
    // cost time.
    this.addSql(`ALTER TABLE stored_response ALTER COLUMN sealed_response SET STORAGE EXTERNAL`);
    this.addSql(`CREATE INDEX stored_response_due ON stored_response (expires_at)`);
    this.addSql(rowSecuritySql('stored_response'));
  }
}
