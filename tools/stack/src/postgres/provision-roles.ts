import type pg from 'pg';
import { withDatabase, type ServiceDatabase } from './service-database.ts';
import { withClient } from './ensure-database.ts';
import { errorCode } from './postgres-error.ts';

/** Maximum duration of a statement; much longer than the statements of services normally take. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Maximum wait for a lock. A lock that is held longer indicates a client that hangs. */
const LOCK_TIMEOUT_MS = 10_000;
/**
 * Maximum pause within a transaction. After a longer pause the service is assumed to hang while its
 * locks block other transactions.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

const ROLE_SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: `${STATEMENT_TIMEOUT_MS}ms`,
  lock_timeout: `${LOCK_TIMEOUT_MS}ms`,
  idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_TIMEOUT_MS}ms`,
};

const WRONG_PASSWORD = '28P01';

type RoleRow = {
  rolname: string;
  isRestricted: boolean;
  rolconfig: string[] | null;
};

/**
 * Creates or updates the services' roles, passwords and settings in the caller's transaction.
 * Alters only what differs, so that concurrent callers seldom conflict.
 */
export async function provisionRoles(
  client: pg.Client,
  databases: readonly ServiceDatabase[],
  isSuperuser: boolean,
): Promise<void> {
  const { rows } = await client.query<RoleRow>(
    `SELECT rolname, rolconfig,
            rolcanlogin AND NOT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)
              AS "isRestricted"
       FROM pg_roles WHERE rolname = ANY($1)`,
    [databases.map(({ role }) => role)],
  );
  const current = await client.query<{ name: string }>('SELECT current_database() AS name');
  const roles = databases.map(async (database) => {
    const row = rows.find(({ rolname }) => rolname === database.role);
    const hasPassword = row?.isRestricted === true && (await canLogIn(database, current.rows[0]!));
    return { database, row, hasPassword };
  });
  for (const { database, row, hasPassword } of await Promise.all(roles)) {
    await provisionRole(client, { database, existing: row, hasPassword });
    if (isSuperuser) continue;
    // Only a member of a role can make that role the owner of a schema.
    await client.query(`GRANT ${client.escapeIdentifier(database.role)} TO CURRENT_USER`);
  }
}

async function provisionRole(
  client: pg.Client,
  {
    database,
    existing,
    hasPassword,
  }: { database: ServiceDatabase; existing: RoleRow | undefined; hasPassword: boolean },
): Promise<void> {
  const role = client.escapeIdentifier(database.role);
  const password = `PASSWORD ${client.escapeLiteral(database.password)}`;
  if (existing === undefined) {
    // NOBYPASSRLS: row-level security is the second barrier between workspaces.
    await client.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER NOBYPASSRLS ${password}`);
  } else if (!existing.isRestricted) {
    const limits = 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB';
    await client.query(`ALTER ROLE ${role} ${limits} ${password}`);
  } else if (!hasPassword) {
    await client.query(`ALTER ROLE ${role} ${password}`);
  }
  const settings = { ...ROLE_SETTINGS, search_path: database.schema };
  for (const [name, value] of Object.entries(settings)) {
    // Writing an unchanged setting could collide with a concurrent caller.
    if (existing?.rolconfig?.includes(`${name}=${value}`)) continue;
    await client.query(`ALTER ROLE ${role} SET ${name} = ${client.escapeLiteral(value)}`);
  }
}

/**
 * Checks the password by logging in, because an admin may not be allowed to read password hashes.
 */
async function canLogIn({ url }: ServiceDatabase, { name }: { name: string }): Promise<boolean> {
  try {
    await withClient(withDatabase(url, name), async () => undefined);
    return true;
  } catch (error) {
    if (errorCode(error) === WRONG_PASSWORD) return false;
    throw error;
  }
}
