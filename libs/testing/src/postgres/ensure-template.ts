import type { ProvisionRequest } from '@witan/stack/postgres/database-tenant';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { migrateSchema, SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { dropTestDatabase, makeTestDatabase } from './make-test-database.ts';

// "tmpl" in ASCII. Under this lock, only one of several concurrent workers creates the template.
const ADVISORY_LOCK = 0x746d706c;
const COMPLETE = 'migrated';

/** Creates the database `name` with all schemas migrated, unless a complete one exists. */
export async function ensureTemplate(
  serverUrl: string,
  name: string,
  toProvisioning: (services: readonly string[]) => Omit<ProvisionRequest, 'adminUrl' | 'database'>,
): Promise<void> {
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
