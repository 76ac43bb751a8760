import { Migration } from '@mikro-orm/migrations';

/** What workspaces want masked; null: the defaults, and what the release before this one writes. */
export class Privacy extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE model_settings ADD COLUMN privacy jsonb`);
  }
}
