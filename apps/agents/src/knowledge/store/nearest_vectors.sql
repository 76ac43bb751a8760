-- Returns the vectors of `p_origin` in the sources `p_source_nos` whose signs differ least from
-- `p_code`, at most `p_limit`. Exact and linear in the vectors of these sources.
CREATE OR REPLACE FUNCTION nearest_vectors(
  p_workspace_id text, p_source_nos integer[], p_model text, p_origin text, p_code text,
  p_limit integer
) RETURNS TABLE (chunk_id text, vector bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  searched bit varying := p_code::bit varying;
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    SELECT v.chunk_id, v.vector FROM knowledge_vector AS v
    WHERE v.source_no = ANY (p_source_nos) AND v.model = p_model AND v.origin = p_origin
      AND length(v.code) = length(p_code)
    ORDER BY bit_count(v.code # searched), v.chunk_id LIMIT p_limit;
END $$;
