import { Migration } from '@mikro-orm/migrations';

/**
 * Stores the trace context of an event with its deliveries, so that the spans of attempts join the
 * event's trace.
 */
export class Traces extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE delivery ADD COLUMN trace jsonb NOT NULL DEFAULT '{}'`);
  }
}
