-- Opens the accounts of workspaces that have none, with an opening credit.
CREATE OR REPLACE FUNCTION open_accounts(p_workspace text[], p_opening bigint)
RETURNS void LANGUAGE sql AS $$
  WITH opened AS (
    INSERT INTO account (workspace_id, posted, held)
    SELECT DISTINCT w.id, p_opening, 0 FROM unnest(p_workspace) AS w (id) ORDER BY w.id
    ON CONFLICT (workspace_id) DO NOTHING
    RETURNING workspace_id)
  INSERT INTO entry (id, workspace_id, kind, amount, source, target, reason)
  -- The second underscore distinguishes the id from those of an operator's credits, which have one.
  SELECT 'ent_opening_' || workspace_id, workspace_id, 'credit', p_opening,
         'operator', 'account', 'opening credit'
  FROM opened WHERE p_opening > 0
$$;
