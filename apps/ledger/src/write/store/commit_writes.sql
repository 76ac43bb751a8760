-- What the previous release calls. It does not know the columns beside certificates, so they are
-- null.
CREATE OR REPLACE FUNCTION commit_writes(
  p_scope text, p_metered boolean, p_opening bigint, p_key_id text,
  p_reserves reserve_columns, p_releases release_columns,
  p_heads head_columns, p_certificates certificate_columns
) RETURNS TABLE (problem text, subject text, amount bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM commit_attributed_writes(p_scope, p_metered, p_opening, p_key_id, p_reserves,
    p_releases, p_heads, ROW(p_certificates.id, p_certificates.workspace_id,
      p_certificates.reservation_id, p_certificates.chain_index, p_certificates.payload,
      p_certificates.payload_hash, p_certificates.signature, p_certificates.usage,
      NULL, NULL, NULL, NULL)::attributed_columns);
END $$;
