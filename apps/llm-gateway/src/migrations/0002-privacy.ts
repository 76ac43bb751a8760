import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the privacy settings of workspaces. Null means the defaults; the previous release writes
 * null.
 */
export class Privacy extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE model_settings ADD COLUMN privacy jsonb`);
  }
}
