import { randomBytes } from 'node:crypto';
import { toServiceDatabase, withDatabase } from '@witan/stack/postgres/service-database';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { migrateSchema, SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { getAdminUrl, readTemplateName } from '../config.ts';

export type TestDatabase = AsyncDisposable & {
  name: string;
  urls: Record<string, string>;
  adminUrl: string;
};

type TestDatabaseOptions = {
  serverUrl?: string;
  /**
   * Creates the tables of the services' schemas: by copying the run's template database, or by
   * migrations if the run has none or the server is private (`serverUrl`).
   */
  isMigrated?: boolean;
};

// Protects the roles of a real system that may use the same server (`DATABASE_URL`), because roles
// belong to the whole server. The password is constant, so that parallel tests can share the roles.
const ROLE_PREFIX = 'witan_test';
const PASSWORD = 'witan-test';

export async function createTestDatabase(
  services: readonly string[],
  { serverUrl, isMigrated = false }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const adminUrl = serverUrl ?? getAdminUrl();
  const name = newDatabaseName();
  // A private server gets no template, which would be used only once.
  const template = isMigrated && serverUrl === undefined ? readTemplateName() : undefined;
  if (template !== undefined) await ensureTemplate(adminUrl, template);
  await makeTestDatabase(adminUrl, name, template);
  const drop = (): Promise<void> => dropTestDatabase(adminUrl, name);
  try {
    const request = { ...toProvisioning(services), adminUrl, database: name };
    const urls =
      template === undefined
        ? await provisionDatabases(request)
        : Object.fromEntries(
            services.map((service) => [service, toServiceDatabase(service, request).url]),
          );
    if (isMigrated && template === undefined) {
      for (const service of services) await migrateSchema(service, urls[service]!);
    }
    const ownAdminUrl = withDatabase(adminUrl, name);
    return { name, urls, adminUrl: ownAdminUrl, [Symbol.asyncDispose]: drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

const toProvisioning = (services: readonly string[]) => ({
  services,
  secrets: Object.fromEntries(services.map((service) => [service, PASSWORD])),
  rolePrefix: ROLE_PREFIX,
});

// "tmpl" in ASCII. Under this lock, only one of several concurrent workers creates the template.
const ADVISORY_LOCK = 0x746d706c;
const COMPLETE = 'migrated';

/** Creates the database `name` with all schemas migrated, unless a complete one exists. */
async function ensureTemplate(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    const { rows } = await client.query<{ comment: string | null }>(
      `SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1`,
      [name],
    );
    if (rows[0]?.comment === COMPLETE) return;
    await dropTestDatabase(serverUrl, name);
    await makeTestDatabase(serverUrl, name);
    const request = { ...toProvisioning(SCHEMA_OWNERS), adminUrl: serverUrl, database: name };
    const urls = await provisionDatabases(request);
    for (const service of SCHEMA_OWNERS) await migrateSchema(service, urls[service]!);
    await client.query(`COMMENT ON DATABASE ${name} IS '${COMPLETE}'`);
  });
}

export const newDatabaseName = (): string => `witan_test_${randomBytes(8).toString('hex')}`;

async function makeTestDatabase(serverUrl: string, name: string, template?: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ fsync: string }>(
      `SELECT current_setting('fsync') AS fsync`,
    );
    // FILE_COPY takes half the time of WAL_LOG, but it forces a checkpoint, which is cheap only
    // without fsync.
    const strategy = rows[0]?.fsync === 'off' ? 'FILE_COPY' : 'WAL_LOG';
    const from = template === undefined ? '' : `TEMPLATE ${template}`;
    await client.query(`CREATE DATABASE ${name} ${from} STRATEGY ${strategy}`);
  });
}

export async function dropTestDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}
