import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

/**
 * Adds the time at which a document of each workspace was last leased; the workspace with the
 * oldest time is next. Rows are never deleted, because a workspace without a row precedes those
 * that wait.
 */
export class TurnsOfReaders extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE knowledge_turn (
        workspace_id text PRIMARY KEY,
        taken_at timestamptz NOT NULL
      )`);
    this.addSql(rowSecuritySql('knowledge_turn'));
    this.addSql('CREATE INDEX knowledge_upload_workspace ON knowledge_upload (workspace_id)');
  }
}
