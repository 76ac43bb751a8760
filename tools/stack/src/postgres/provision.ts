import type pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, withClient } from './ensure-database.ts';
import { errorCode, PostgresError } from './postgres-error.ts';
import { toServiceDatabase, withDatabase, type ProvisionRequest } from './service-database.ts';
import { provisionRoles } from './provision-roles.ts';
import { provisionSchemas } from './provision-schemas.ts';

// Key of the lock that serializes provisioning through one admin database: "witn" in ASCII.
const ADVISORY_LOCK = 0x7769746e;

const ATTEMPTS = 5;
const RETRY_PAUSE_MS = 50;
// Errors after which provisioning is retried. Roles belong to the server but advisory locks to one
// database, so concurrent provisioning through another admin database can fail with a duplicate or
// "tuple concurrently updated" (internal error).
const COLLISIONS = ['42710', '23505', 'XX000', '40001', '40P01'];

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Creates a role, a schema owned by it, and a URL for every service. A role cannot access the
 * schemas of other services. Idempotent and safe to run concurrently. Throws PostgresError
 * `invalid-request`, `admin-lacks-privilege` or `schema-taken`.
 */
export async function provisionDatabases(
  request: ProvisionRequest,
): Promise<Record<string, string>> {
  const databases = request.services.map((service) => toServiceDatabase(service, request));
  const { adminUrl, database } = request;
  await withExplainedError(adminUrl, () =>
    withClient(adminUrl, async (client) => {
      const isSuperuser = await verifyAdmin(client);
      if (database !== undefined) await createMissingDatabase(client, database);
      await runExclusively(client, () => provisionRoles(client, databases, isSuperuser));
      if (database === undefined)
        await runExclusively(client, () => provisionSchemas(client, databases));
    }),
  );
  if (database !== undefined) {
    const databaseUrl = withDatabase(adminUrl, database);
    await withExplainedError(databaseUrl, () =>
      withClient(databaseUrl, (client) =>
        runExclusively(client, () => provisionSchemas(client, databases)),
      ),
    );
  }
  return Object.fromEntries(databases.map(({ service, url }) => [service, url]));
}

async function verifyAdmin(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ rolname: string; rolsuper: boolean; may: boolean }>(
    `SELECT rolname, rolsuper, rolsuper OR rolcreaterole AS may
       FROM pg_roles WHERE rolname = current_user`,
  );
  const [admin] = rows;
  if (admin?.may !== true) {
    throw new PostgresError(
      'admin-lacks-privilege',
      `The database user "${admin?.rolname}" may not create roles. Give DATABASE_URL a user with ` +
        `CREATEROLE, or grant it: ALTER ROLE ... CREATEROLE.`,
    );
  }
  return admin.rolsuper;
}

async function createMissingDatabase(client: pg.Client, name: string): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (found.rowCount === 0) await createDatabase(client, name);
}

/** Runs one transaction under the advisory lock and retries it after a conflict. */
async function runExclusively(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
      await work();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      const isCollision = COLLISIONS.includes(String(errorCode(error)));
      if (!isCollision || attempt === ATTEMPTS) throw error;
      await delay(RETRY_PAUSE_MS * attempt);
    }
  }
}

async function withExplainedError(url: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (errorCode(cause) !== INSUFFICIENT_PRIVILEGE) throw cause;
    const { username, pathname } = new URL(url);
    throw new PostgresError(
      'admin-lacks-privilege',
      `The database user "${username}" lacks a right in "${pathname.slice(1)}": ` +
        `${(cause as Error).message}. It needs CREATEROLE, CREATE on the database, and CREATEDB ` +
        `where a database is to be created.`,
      { cause },
    );
  }
}
