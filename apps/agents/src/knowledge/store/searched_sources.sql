-- Returns the sources that a search reads: those of the workspace, limited to the sources linked to
-- an agent if `p_agent_id` is not null, and to `p_source_ids` if that is not null.
CREATE OR REPLACE FUNCTION searched_sources(
  p_workspace_id text, p_agent_id text, p_source_ids text[]
) RETURNS TABLE (id text, no integer, name text, chunk_count integer, word_count float8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    SELECT s.id, s.no, s.name, s.chunk_count, s.word_count::float8 FROM knowledge_source AS s
    WHERE s.workspace_id = p_workspace_id AND s.deleted_at IS NULL
      AND (p_agent_id IS NULL OR EXISTS (
        SELECT FROM agent_source AS l WHERE l.agent_id = p_agent_id AND l.source_id = s.id
      ))
      AND (p_source_ids IS NULL OR s.id = ANY (p_source_ids))
    ORDER BY s.no;
END $$;
