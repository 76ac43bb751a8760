import { Migration } from '@mikro-orm/migrations';
import { inboxSql, rowSecuritySql } from '@witan/service-kit';

export class Webhooks extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE webhook (
        id text COLLATE "C" PRIMARY KEY,
        workspace_id text NOT NULL,
        url text NOT NULL,
        events text[] NOT NULL CHECK (cardinality(events) > 0),
        description text,
        is_active boolean NOT NULL DEFAULT true,
        sealed_secret text NOT NULL,
        secret_preview text NOT NULL,
        previous_sealed_secret text,
        previous_until timestamptz,
        is_slow boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    this.addSql(`CREATE INDEX webhook_workspace ON webhook (workspace_id, id)`);
    // The indexes of pending and leased deliveries are partial, so that they stay small while ended
    // deliveries accumulate.
    this.addSql(`
      CREATE TABLE delivery (
        id text COLLATE "C" PRIMARY KEY,
        workspace_id text NOT NULL,
        webhook_id text COLLATE "C" NOT NULL REFERENCES webhook ON DELETE CASCADE,
        event_id text,
        event text NOT NULL,
        body text NOT NULL,
        state text NOT NULL DEFAULT 'pending'
          CHECK (state IN ('pending', 'delivered', 'failed')),
        attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
        status_code integer NOT NULL DEFAULT 0,
        error text,
        due_at timestamptz DEFAULT clock_timestamp(),
        lease uuid,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        delivered_at timestamptz,
        UNIQUE (webhook_id, event_id),
        CHECK ((state = 'pending') = (due_at IS NOT NULL)),
        CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
        CHECK (state = 'pending' OR lease IS NULL)
      )`);
    this.addSql(`CREATE INDEX delivery_log ON delivery (webhook_id, created_at DESC, id DESC)`);
    this.addSql(`
      CREATE INDEX delivery_waiting ON delivery (webhook_id, due_at) WHERE state = 'pending'`);
    this.addSql(`CREATE INDEX delivery_due ON delivery (due_at) WHERE state = 'pending'`);
    this.addSql(`CREATE INDEX delivery_leased ON delivery (webhook_id)
      WHERE lease IS NOT NULL`);
    this.addSql(`CREATE INDEX delivery_ended ON delivery (created_at) WHERE state <> 'pending'`);
    this.addSql(inboxSql());
    for (const table of ['webhook', 'delivery']) this.addSql(rowSecuritySql(table));
  }
}
