import { Migration } from '@mikro-orm/migrations';

export class StoringOfResponses extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE workspace ADD COLUMN stores_responses boolean NOT NULL DEFAULT true`);
  }
}
