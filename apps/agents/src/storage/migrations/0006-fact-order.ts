import { Migration } from '@mikro-orm/migrations';

/** Facts of one source or category, newest first, without sorting all that there are of it. */
export class FactOrder extends Migration {
  override up(): void {
    for (const column of ['source', 'category']) {
      this.addSql(`
        CREATE INDEX fact_${column} ON fact (workspace_id, ${column}, created_at DESC, id DESC)`);
    }
  }
}
