import { Migration } from '@mikro-orm/migrations';

/**
 * Accepts providers that speak the responses dialect. The previous release treats such a provider
 * as one of the chat-completions dialect, which it usually speaks at the same URL.
 */
export class ResponsesDialect extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE workspace_provider
        DROP CONSTRAINT workspace_provider_dialect_check,
        ADD CONSTRAINT workspace_provider_dialect_check
          CHECK (dialect IN ('chat-completions', 'messages', 'responses'))`);
  }
}
