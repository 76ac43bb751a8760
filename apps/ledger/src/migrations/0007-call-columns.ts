import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

/**
 * Adds what is known of a call beside its certificate, which cannot contain it, and the daily sums
 * of usage. The new columns are null for calls of earlier releases.
 */
export class CallColumns extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE certificate
        ADD COLUMN api_key_id text,
        ADD COLUMN duration_ms bigint,
        ADD COLUMN cached_tokens bigint,
        ADD COLUMN cache_write_tokens bigint`);
    this.addSql(`
      CREATE TYPE attributed_columns AS (
        id text[], workspace_id text[], reservation_id text[], chain_index bigint[],
        payload text[], payload_hash text[], signature text[], usage bigint[],
        api_key_id text[], duration_ms bigint[], cached_tokens bigint[],
        cache_write_tokens bigint[]
      )`);
    this.addSql(`
      CREATE TABLE usage_day (
        workspace_id text NOT NULL,
        day date NOT NULL,
        api_key_id text NOT NULL,
        agent text NOT NULL,
        model text NOT NULL,
        provider text NOT NULL,
        calls bigint NOT NULL,
        prompt_tokens bigint NOT NULL,
        completion_tokens bigint NOT NULL,
        total_tokens bigint NOT NULL,
        cached_tokens bigint NOT NULL,
        cache_write_tokens bigint NOT NULL,
        PRIMARY KEY (workspace_id, day, api_key_id, agent, model, provider)
      )`);
    // `chain_index` is the last one that usage_day includes.
    this.addSql(`
      CREATE TABLE usage_watermark (
        workspace_id text PRIMARY KEY,
        chain_index bigint NOT NULL
      )`);
    for (const table of ['usage_day', 'usage_watermark']) this.addSql(rowSecuritySql(table));
  }
}
