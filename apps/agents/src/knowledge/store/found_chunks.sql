-- Returns the text of the chunks that a search found.
CREATE OR REPLACE FUNCTION found_chunks(p_workspace_id text, p_ids text[])
RETURNS TABLE (
  id text, source_id text, document_id text, title text, page integer, text text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    SELECT c.id, c.source_id, c.document_id, d.title, c.page, c.text
    FROM knowledge_chunk AS c JOIN knowledge_document AS d ON d.id = c.document_id
    WHERE c.workspace_id = p_workspace_id AND c.id = ANY (p_ids);
END $$;
