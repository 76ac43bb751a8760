import { rowSecuritySql, sqlMigration } from '@witan/service-kit';

const MCP_SERVERS = `
  CREATE TABLE mcp_server (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    name text COLLATE "C" NOT NULL,
    url text NOT NULL,
    header_names text[] NOT NULL,
    sealed_headers text NOT NULL,
    protocol_version text NOT NULL,
    snapshot_hash text NOT NULL,
    refreshed_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (workspace_id, name)
  );
  CREATE INDEX mcp_server_workspace ON mcp_server (workspace_id, id)`;

/**
 * A tool of a server is a tool like others, so that it is linked, offered and called alike. Its
 * description and parameters are the accepted ones; `mcp_listed` has those that the server listed
 * last, as JSON text that preserves the order of the schema's members.
 *
 * `is_active` is false on it, because the previous release would call its URL as that of an HTTP
 * tool. Whether a user has deactivated it is in `mcp_active`, which is null on other tools.
 */
const TOOLS_OF_SERVERS = `
  ALTER TABLE tool
    ADD COLUMN mcp_server_id text COLLATE "C" REFERENCES mcp_server ON DELETE CASCADE,
    ADD COLUMN mcp_name text,
    ADD COLUMN mcp_state text,
    ADD COLUMN mcp_active boolean,
    ADD COLUMN mcp_accepted text,
    ADD COLUMN mcp_listed text,
    ADD COLUMN mcp_problem text,
    ADD CONSTRAINT tool_mcp_inactive CHECK (mcp_server_id IS NULL OR NOT is_active);
  CREATE INDEX tool_mcp_server ON tool (mcp_server_id)`;

export const McpServers = sqlMigration(MCP_SERVERS, rowSecuritySql('mcp_server'), TOOLS_OF_SERVERS);
