import { Migration } from '@mikro-orm/migrations';

/**
 * Stores the input of a response apart from it, because a long input is not needed to read the
 * response or to store its end. It is null where the response contains its input, as processes of
 * the previous release write it.
 */
export class InputOfStoredResponses extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE stored_response ADD COLUMN sealed_input text`);
    this.addSql(`ALTER TABLE stored_response ALTER COLUMN sealed_input SET STORAGE EXTERNAL`);
    this.addSql(`
      CREATE OR REPLACE FUNCTION count_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        change bigint := 0;
      BEGIN
        IF TG_OP <> 'INSERT' THEN
          change := -octet_length(OLD.sealed_response)
            - coalesce(octet_length(OLD.sealed_input), 0);
        END IF;
        IF TG_OP <> 'DELETE' THEN
          change := change + octet_length(NEW.sealed_response)
            + coalesce(octet_length(NEW.sealed_input), 0);
        END IF;
        INSERT INTO stored_response_usage AS usage (workspace_id, bytes)
        VALUES (CASE TG_OP WHEN 'DELETE' THEN OLD.workspace_id ELSE NEW.workspace_id END, change)
        ON CONFLICT (workspace_id) DO UPDATE SET bytes = usage.bytes + excluded.bytes;
        RETURN NULL;
      END $$`);
    this.addSql(`DROP TRIGGER count_bytes ON stored_response`);
    this.addSql(`
      CREATE TRIGGER count_bytes
      AFTER INSERT OR UPDATE OF sealed_response, sealed_input OR DELETE
      ON stored_response FOR EACH ROW EXECUTE FUNCTION count_stored_bytes()`);
  }
}
