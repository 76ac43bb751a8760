/** Session setting that the row-level security policies read. */
export const SCOPE_SETTING = 'witan.scope';

/**
 * Whose rows a transaction may touch. Every store function takes one first; row-level security is
 * the second lock: without a scope a query finds nothing and an insert is refused.
 */
export type Scope = { readonly setting: string };

/** Workspace ids are opaque words; a comma would widen the scope. */
const WORKSPACE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The rows of the named workspaces. Throws on an id that is not one word. */
export const workspaceScope = (...workspaceIds: readonly string[]): Scope => {
  for (const id of workspaceIds) {
    if (!WORKSPACE_ID.test(id)) throw new Error('A workspace id must be one word of at most 64.');
  }
  return { setting: workspaceIds.join(',') };
};

/** Every workspace's rows: for sweepers and operators, never for a caller's request. */
export const everyWorkspace: Scope = { setting: '*' };

/**
 * SQL that puts a table under row-level security, for its owner too; `column` holds the id of the
 * workspace that a row belongs to. For use in migrations.
 */
export const rowSecuritySql = (table: string, column = 'workspace_id'): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY scoped ON ${table} USING (
    current_setting('${SCOPE_SETTING}', true) = '*'
    OR ${column} = ANY (string_to_array(current_setting('${SCOPE_SETTING}', true), ','))
  );`;
