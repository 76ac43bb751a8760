import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

/**
 * When somebody last began to read a document of a workspace: whose turn was longest ago is next. A
 * row a workspace, which stays: one that comes back would else go before who waited all the time.
 */
export class TurnsOfReaders extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE knowledge_turn (
        workspace_id text PRIMARY KEY,
        taken_at timestamptz NOT NULL
      )`);
    this.addSql(rowSecuritySql('knowledge_turn'));
    // What waits of a workspace is counted before more of it does.
    this.addSql('CREATE INDEX knowledge_upload_workspace ON knowledge_upload (workspace_id)');
  }
}
