import { Migration } from '@mikro-orm/migrations';

export class FactOrder extends Migration {
  override up(): void {
    for (const column of ['source', 'category']) {
      this.addSql(`
        CREATE INDEX fact_${column} ON fact (workspace_id, ${column}, created_at DESC, id DESC)`);
    }
  }
}
