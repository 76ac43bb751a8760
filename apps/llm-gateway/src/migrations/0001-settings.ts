import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class Settings extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE model_settings (
        workspace_id text PRIMARY KEY,
        aliases jsonb NOT NULL DEFAULT '[]',
        full_targets jsonb NOT NULL DEFAULT '[]',
        cheap_targets jsonb NOT NULL DEFAULT '[]',
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    this.addSql(`
      CREATE TABLE workspace_provider (
        workspace_id text NOT NULL REFERENCES model_settings,
        name text NOT NULL,
        dialect text NOT NULL CHECK (dialect IN ('chat-completions', 'messages')),
        base_url text NOT NULL,
        sealed_key text NOT NULL,
        key_preview text NOT NULL,
        version text NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (workspace_id, name)
      )`);
    for (const table of ['model_settings', 'workspace_provider']) {
      this.addSql(rowSecuritySql(table));
    }
  }
}
