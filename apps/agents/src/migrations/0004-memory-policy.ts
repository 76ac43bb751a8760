import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

/**
 * Adds the memory policy of workspaces. A workspace without a row allows agents to write global
 * memories.
 */
export class MemoryPolicy extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE memory_policy (
        workspace_id text PRIMARY KEY,
        global_writes boolean NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    this.addSql(rowSecuritySql('memory_policy'));
  }
}
