import { Migration } from '@mikro-orm/migrations';

/**
 * Adds retry schedules and the state of webhooks that the service disabled. The previous release
 * ignores these columns, so it may resume a webhook without clearing `disabled_reason`, which
 * counts only while the webhook is inactive.
 */
export class RetrySchedules extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE webhook
        ADD COLUMN retry_schedule text NOT NULL DEFAULT 'standard'
          CHECK (retry_schedule IN ('standard', 'long')),
        ADD COLUMN endpoint_version integer NOT NULL DEFAULT 1,
        ADD COLUMN disabled_reason text CHECK (disabled_reason IN ('gone')),
        ADD COLUMN disabled_at timestamptz,
        ADD CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL))`);
  }
}
