import { Migration } from '@mikro-orm/migrations';

/** Adds the argument type of `settle_attempts`: a list of rows, with an array per column. */
export class AttemptColumns extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TYPE attempt_columns AS (
        id text[], webhook_id text[], lease uuid[], state text[], was_made boolean[],
        was_slow boolean[], status_code integer[], error text[], delay_ms integer[]
      )`);
  }
}
