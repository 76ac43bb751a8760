import { randomBytes } from 'node:crypto';
import { withDatabase } from '@witan/stack/postgres/database-tenant';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { getAdminUrl } from './config.ts';

/** A database of the test's own; disposing drops it, whoever is still connected. */
export type TestDatabase = AsyncDisposable & {
  name: string;
  /** By service, as its own role. */
  urls: Record<string, string>;
  /** The same database as the server's admin. */
  adminUrl: string;
};

// Roles belong to the whole server, which may be somebody's (`DATABASE_URL`): the tests never
// touch the roles of a real system there. A constant password lets parallel tests share them.
const ROLE_PREFIX = 'witan_test';
const PASSWORD = 'witan-test';

/**
 * A fresh, empty database with a role and a schema for each service, in about 60 ms, on the run's
 * server (or that of `serverUrl`, an admin's).
 */
export async function createTestDatabase(
  services: readonly string[],
  options: { serverUrl?: string } = {},
): Promise<TestDatabase> {
  const serverUrl = options.serverUrl ?? getAdminUrl();
  const name = `witan_test_${randomBytes(8).toString('hex')}`;
  await create(serverUrl, name);
  const drop = (): Promise<void> => dropDatabase(serverUrl, name);
  try {
    const adminUrl = withDatabase(serverUrl, name);
    const secrets = Object.fromEntries(services.map((service) => [service, PASSWORD]));
    const urls = await provisionDatabases({
      adminUrl: serverUrl,
      services,
      secrets,
      database: name,
      rolePrefix: ROLE_PREFIX,
    });
    return { name, urls, adminUrl, [Symbol.asyncDispose]: drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function create(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ fsync: string }>(
      `SELECT current_setting('fsync') AS fsync`,
    );
    // Copying the template's files takes half the time of logging them, but writes a
    // checkpoint, which costs nothing on a server without fsync only.
    const strategy = rows[0]?.fsync === 'off' ? 'FILE_COPY' : 'WAL_LOG';
    await client.query(`CREATE DATABASE ${name} STRATEGY ${strategy}`);
  });
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}
