import type pg from 'pg';
import type { ServiceDatabase } from './service-database.ts';
import { PostgresError } from './postgres-error.ts';

/**
 * Creates the services' schemas, each owned by its role, and revokes creation in `public`, in the
 * caller's transaction. Throws PostgresError `schema-taken` if another role owns one of the
 * schemas.
 */
export async function provisionSchemas(
  client: pg.Client,
  databases: readonly ServiceDatabase[],
): Promise<void> {
  await closePublicSchema(client);
  const { rows } = await client.query<{ schema: string; owner: string }>(
    `SELECT nspname AS schema, pg_get_userbyid(nspowner) AS owner
       FROM pg_namespace WHERE nspname = ANY($1)`,
    [databases.map(({ schema }) => schema)],
  );
  for (const { schema, role } of databases) {
    const existing = rows.find((row) => row.schema === schema);
    if (existing === undefined) {
      await client.query(
        `CREATE SCHEMA ${client.escapeIdentifier(schema)} ` +
          `AUTHORIZATION ${client.escapeIdentifier(role)}`,
      );
    } else if (existing.owner !== role) {
      throw new PostgresError(
        'schema-taken',
        `The schema "${schema}" belongs to "${existing.owner}" and Witan needs it for "${role}". ` +
          `Give Witan a database of its own.`,
      );
    }
  }
}

/**
 * Revokes creation in `public`. This is the default since PostgreSQL 15; earlier servers let every
 * role create objects there.
 */
async function closePublicSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ open: boolean | null }>(
    `SELECT has_schema_privilege('public', to_regnamespace('public'), 'CREATE') AS open`,
  );
  if (rows[0]?.open === true) await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
}
