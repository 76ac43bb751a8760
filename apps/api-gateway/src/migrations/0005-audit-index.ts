import { Migration } from '@mikro-orm/migrations';

export class AuditIndex extends Migration {
  override up(): void {
    this.addSql(`CREATE INDEX audit_newest ON audit (workspace_id, at DESC, id DESC)`);
  }
}
