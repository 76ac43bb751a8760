import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

/**
 * Counts the bytes of each workspace's stored responses. A trigger does it, because responses are
 * also deleted when they expire, and written by processes of the previous release.
 */
export class StoredResponseUsage extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE stored_response_usage (
        workspace_id text PRIMARY KEY,
        bytes bigint NOT NULL
      )`);
    this.addSql(rowSecuritySql('stored_response_usage'));
    this.addSql(`
      CREATE FUNCTION count_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        change bigint := 0;
      BEGIN
        IF TG_OP <> 'INSERT' THEN change := -octet_length(OLD.sealed_response); END IF;
        IF TG_OP <> 'DELETE' THEN change := change + octet_length(NEW.sealed_response); END IF;
        INSERT INTO stored_response_usage AS usage (workspace_id, bytes)
        VALUES (CASE TG_OP WHEN 'DELETE' THEN OLD.workspace_id ELSE NEW.workspace_id END, change)
        ON CONFLICT (workspace_id) DO UPDATE SET bytes = usage.bytes + excluded.bytes;
        RETURN NULL;
      END $$`);
    // The lock prevents writes between the count and the trigger.
    this.addSql(`LOCK TABLE stored_response IN SHARE ROW EXCLUSIVE MODE`);
    this.addSql(`
      INSERT INTO stored_response_usage
      SELECT workspace_id, sum(octet_length(sealed_response)) FROM stored_response
      GROUP BY workspace_id`);
    this.addSql(`
      CREATE TRIGGER count_bytes AFTER INSERT OR UPDATE OF sealed_response OR DELETE
      ON stored_response FOR EACH ROW EXECUTE FUNCTION count_stored_bytes()`);
  }
}
