import type { ProvisionRequest } from '@witan/stack/postgres/database-tenant';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { migrateSchema, SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { dropTestDatabase, makeTestDatabase } from './make-test-database.ts';

// "tmpl" in ASCII: of the workers that need it at once one makes it.
const ADVISORY_LOCK = 0x746d706c;
const WHOLE = 'migrated';

/** Makes `name` a database with every schema in its newest shape, unless it is one already. */
export async function ensureTemplate(
  serverUrl: string,
  name: string,
  toRequest: (services: readonly string[]) => Omit<ProvisionRequest, 'adminUrl' | 'database'>,
): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    const { rows } = await client.query<{ comment: string | null }>(
      `SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1`,
      [name],
    );
    if (rows[0]?.comment === WHOLE) return;
    // Whoever made it was interrupted.
    await dropTestDatabase(serverUrl, name);
    await makeTestDatabase(serverUrl, name);
    const request = { ...toRequest(SCHEMA_OWNERS), adminUrl: serverUrl, database: name };
    const urls = await provisionDatabases(request);
    for (const service of SCHEMA_OWNERS) await migrateSchema(service, urls[service]!);
    await client.query(`COMMENT ON DATABASE ${name} IS '${WHOLE}'`);
  });
}
