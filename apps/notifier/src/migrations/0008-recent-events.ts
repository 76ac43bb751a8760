import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

/**
 * Stores the events of about a day, which clients follow. `tx` and `seq` order them: all events of
 * earlier transactions are visible once their ids are below the oldest running transaction's, so a
 * follower that reads only those misses none.
 */
export class RecentEvents extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE recent_event (
        workspace_id text NOT NULL,
        tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
        seq bigint GENERATED ALWAYS AS IDENTITY,
        id text NOT NULL,
        body text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, tx, seq),
        UNIQUE (workspace_id, id)
      )`);
    this.addSql(`CREATE INDEX recent_event_due ON recent_event (created_at)`);
    this.addSql(rowSecuritySql('recent_event'));
  }
}
