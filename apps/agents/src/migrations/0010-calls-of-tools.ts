import { Migration } from '@mikro-orm/migrations';
import { WITH_GENERIC_PLAN } from './0007-reads-of-turns.ts';

export class CallsOfTools extends Migration {
  override up(): void {
    this.addSql(FIND_LINKED_TOOLS);
    this.addSql(FIND_TOOL_TARGET);
  }
}

/**
 * Returns the tools of an agent in a fixed order, because another order would change the prompt and
 * miss the provider's prompt cache.
 */
const FIND_LINKED_TOOLS = `
  CREATE FUNCTION find_linked_tools(p_workspace_id text, p_agent_id text)
  RETURNS TABLE (id text, name text, description text, parameters text, is_active boolean)
  ${WITH_GENERIC_PLAN} AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    RETURN QUERY
      SELECT tool.id, tool.name, tool.description, tool.parameters, tool.is_active
      FROM agent_tool JOIN tool ON tool.id = agent_tool.tool_id
      WHERE agent_tool.workspace_id = p_workspace_id AND agent_tool.agent_id = p_agent_id
        AND tool.workspace_id = p_workspace_id
      ORDER BY tool.name;
  END $$`;

/**
 * Returns the tool to call. `p_agent_id` is null if the API tests a tool; otherwise the tool must
 * be linked to the agent at the time of the call.
 */
const FIND_TOOL_TARGET = `
  CREATE FUNCTION find_tool_target(p_workspace_id text, p_tool_id text, p_agent_id text)
  RETURNS SETOF tool ${WITH_GENERIC_PLAN} AS $$
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    RETURN QUERY
      SELECT * FROM tool
      WHERE workspace_id = p_workspace_id AND id = p_tool_id AND (
        p_agent_id IS NULL OR EXISTS (
          SELECT FROM agent_tool
          WHERE agent_tool.workspace_id = p_workspace_id
            AND agent_tool.agent_id = p_agent_id AND agent_tool.tool_id = p_tool_id
        )
      );
  END $$`;
