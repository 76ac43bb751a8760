import { rowSecuritySql, sqlMigration } from '@witan/service-kit';

/** `parameters` is text, because jsonb would not preserve the order of the schema's members. */
const TOOLS = `
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
  );
  CREATE INDEX tool_workspace ON tool (workspace_id, id);
  CREATE TABLE agent_tool (
    workspace_id text NOT NULL,
    agent_id text COLLATE "C" NOT NULL REFERENCES agent ON DELETE CASCADE,
    tool_id text COLLATE "C" NOT NULL REFERENCES tool ON DELETE CASCADE,
    linked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (agent_id, tool_id)
  );
  CREATE INDEX agent_tool_tool ON agent_tool (tool_id)`;

export const Tools = sqlMigration(TOOLS, rowSecuritySql('tool'), rowSecuritySql('agent_tool'));
