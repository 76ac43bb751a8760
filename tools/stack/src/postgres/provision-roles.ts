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
  for (const database of databases) {
    const row = rows.find(({ rolname }) => rolname === database.role);
    await provisionRole(client, database, row);
    if (isSuperuser) continue;
    // Only a member of a role can make that role the owner of a schema.
    await client.query(`GRANT ${client.escapeIdentifier(database.role)} TO CURRENT_USER`);
  }
}

async function provisionRole(
  client: pg.Client,
  database: ServiceDatabase,
  existing: RoleRow | undefined,
): Promise<void> {
  const role = client.escapeIdentifier(database.role);
  const password = `PASSWORD ${client.escapeLiteral(database.password)}`;
  if (existing === undefined) {
    // NOBYPASSRLS: row-level security is the second barrier between workspaces.
    await client.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER NOBYPASSRLS ${password}`);
  } else if (!existing.isRestricted) {
    const limits = 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB';
    await client.query(`ALTER ROLE ${role} ${limits} ${password}`);
  } else if (!(await canLogIn(database, client))) {
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
async function canLogIn(database: ServiceDatabase, admin: pg.Client): Promise<boolean> {
  const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name');
  try {
    await withClient(withDatabase(database.url, rows[0]?.name ?? ''), async () => undefined);
    return true;
  } catch (error) {
    if (errorCode(error) === WRONG_PASSWORD) return false;
    throw error;
  }
}
