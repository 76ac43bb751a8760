import type { MikroORM, Options } from '@mikro-orm/postgresql';
import type { Migration } from '@mikro-orm/migrations';
import { Client, DatabaseError, escapeIdentifier } from 'pg';
import type { Pool } from 'pg';
import type { Log } from '../log/create-log.ts';
import { SchemaMissingError } from './retry-until-database-ready.ts';

export type NamedMigration = { name: string; class: new (...args: never[]) => Migration };

type SchemaOptions = {
  url: string;
  schema: string;
  migrations: readonly NamedMigration[];
  log: Log;
};

/** Time limit of a connection attempt in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5_000;
const MIGRATIONS_TABLE = 'migration';

/** Returns the options with which MikroORM runs `migrations`. */
export const toMigratorOptions = (
  migrations: readonly NamedMigration[],
): NonNullable<Options['migrations']> => ({
  tableName: MIGRATIONS_TABLE,
  migrationsList: migrations.map(withoutStatementTimeout) as never,
  snapshot: false,
  silent: true,
});

/**
 * Applies pending migrations. Migrations are only ever added, so a start with nothing to apply
 * needs no lock, and no more than one statement.
 */
export const migrateSchema = async (
  orm: MikroORM,
  pool: Pool,
  options: SchemaOptions,
): Promise<void> => {
  if (!(await isMigrated(pool, options))) await migrateExclusively(orm, options);
};

const UNDEFINED_TABLE = '42P01';

/** Returns true if all migrations are applied. */
const isMigrated = async (pool: Pool, { schema, migrations }: SchemaOptions): Promise<boolean> => {
  const table = `${escapeIdentifier(schema)}.${MIGRATIONS_TABLE}`;
  try {
    const { rows } = await pool.query<{ name: string }>(`SELECT name FROM ${table}`);
    const applied = new Set(rows.map(({ name }) => name));
    return migrations.every(({ name }) => applied.has(name));
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return false;
    throw error;
  }
};

/**
 * Applies pending migrations under an advisory lock, because replicas that start together would
 * otherwise run the same migration concurrently.
 */
const migrateExclusively = async (orm: MikroORM, options: SchemaOptions): Promise<void> => {
  const client = new Client({
    connectionString: options.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A lost connection rejects the pending query and emits `error`. Without a listener, this event
  // would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await checkSchema(client, options.schema);
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
    await client.query('select pg_advisory_lock(hashtext($1))', [`migrate ${options.schema}`]);
    const applied = await orm.migrator.up();
    if (applied.length > 0) {
      const migrations = applied.map(({ name }) => name);
      options.log.info({ event: 'migrations_applied', migrations }, 'Migrations applied');
    }
  } finally {
    // Closing the connection also releases the advisory lock.
    await client.end();
  }
};

/**
 * Makes a migration run without the role's statement timeout, which is meant for requests: indexing
 * a large table takes longer.
 */
const withoutStatementTimeout = ({ name, class: Base }: NamedMigration): NamedMigration => ({
  name,
  class: class extends Base {
    override async up(): Promise<void> {
      this.addSql('SET LOCAL statement_timeout = 0');
      const { up } = Base.prototype as Migration;
      await up.call(this);
    }
  },
});

/**
 * Throws SchemaMissingError if the schema does not exist and MikroORM, which creates a missing
 * schema, is not permitted to do so.
 */
const checkSchema = async (client: Client, schema: string): Promise<void> => {
  const { rows } = await client.query<{ isUsable: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)
         OR has_database_privilege(current_database(), 'CREATE') AS "isUsable"`,
    [schema],
  );
  if (!rows[0]!.isUsable) throw new SchemaMissingError(schema);
};
