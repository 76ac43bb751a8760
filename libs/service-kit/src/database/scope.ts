export const SCOPE_SETTING = 'witan.scope';

/**
 * Workspaces whose rows a transaction may access. Row-level security enforces the scope (see
 * `rowSecuritySql`): without one, queries return no rows and inserts are refused.
 */
export type Scope = { readonly setting: string };

/**
 * Must not match a comma: commas separate the workspaces of a scope, so an id that contains one
 * would add a workspace.
 */
const WORKSPACE_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const workspaceScope = (...workspaceIds: readonly string[]): Scope => {
  for (const id of workspaceIds) {
    if (!WORKSPACE_ID.test(id))
      throw new Error('A workspace id has 1 to 64 letters, digits, _ or -.');
  }
  return { setting: workspaceIds.join(',') };
};

/**
 * Scope with access to all workspaces: for operators, background jobs and data that is read before
 * the workspace is known.
 */
export const everyWorkspace: Scope = { setting: '*' };

export const rowSecuritySql = (table: string, column = 'workspace_id'): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY scoped ON ${table} USING (
    current_setting('${SCOPE_SETTING}', true) = '*'
    OR ${column} = ANY (string_to_array(current_setting('${SCOPE_SETTING}', true), ','))
  );`;

/**
 * Changes the policy of `rowSecuritySql` so that a statement parses its scope once instead of once
 * per row; it admits the same rows. With a scope of many workspaces, parsing would take more time
 * than the rest of a statement. The scope must be set before the statement, not by it.
 */
export const readScopeOnceSql = (table: string): string => `
  ALTER POLICY scoped ON ${table} USING (
    (SELECT current_setting('${SCOPE_SETTING}', true)) = '*'
    OR workspace_id = ANY (
      (SELECT string_to_array(current_setting('${SCOPE_SETTING}', true), ','))::text[])
  );`;
