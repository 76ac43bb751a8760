import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class KeysInFull extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE api_key
        ADD COLUMN last_used_at timestamptz,
        ADD COLUMN grace_until timestamptz`);
    this.addSql(`CREATE INDEX api_key_newest ON api_key (workspace_id, created_at DESC, id DESC)`);
    // The old index is redundant, because the new one begins with the same column.
    this.addSql(`DROP INDEX api_key_workspace`);
    this.addSql(`ALTER TABLE audit ADD COLUMN detail text`);
    this.addSql(rowSecuritySql('workspace', 'id'));
  }
}
