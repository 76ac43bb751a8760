import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class Tools extends Migration {
  override up(): void {
    // `parameters` is text, because jsonb would not preserve the order of the schema's members.
    this.addSql(`
      CREATE TABLE tool (
        id text COLLATE "C" PRIMARY KEY,
        workspace_id text NOT NULL,
        name text COLLATE "C" NOT NULL,
        description text NOT NULL,
        parameters text NOT NULL,
        url text NOT NULL,
        is_active boolean NOT NULL DEFAULT true,
        sealed_secret text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (workspace_id, name)
      )`);
    this.addSql(`CREATE INDEX tool_workspace ON tool (workspace_id, id)`);
    this.addSql(`
      CREATE TABLE agent_tool (
        workspace_id text NOT NULL,
        agent_id text COLLATE "C" NOT NULL REFERENCES agent ON DELETE CASCADE,
        tool_id text COLLATE "C" NOT NULL REFERENCES tool ON DELETE CASCADE,
        linked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (agent_id, tool_id)
      )`);
    this.addSql(`CREATE INDEX agent_tool_tool ON agent_tool (tool_id)`);
    for (const table of ['tool', 'agent_tool']) this.addSql(rowSecuritySql(table));
  }
}
