import { Migration } from '@mikro-orm/migrations';

/** Drops the `search` column of memories, because the service ranks memories now. */
export class ReadsOfTurns extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE memory DROP COLUMN search');
  }
}
