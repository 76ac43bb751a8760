import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openEmbeddedPostgres, provisionDatabases } from '@witan/stack';
import pg from 'pg';

export type Postgres = {
  pid: number;
  adminUrl: string;
  /** Database URLs of the services, by name. */
  urls: Readonly<Record<string, string>>;
};

/** Starts a durable PostgreSQL with a schema and a role for each service. */
export const openPostgres = async (
  { stateDir, services }: { stateDir: string; services: readonly string[] },
  resources: AsyncDisposableStack,
): Promise<Postgres> => {
  const dir = join(stateDir, 'postgres');
  const server = await openEmbeddedPostgres({ dir, durable: true, log: () => {} });
  resources.defer(server.stop);
  const secrets = Object.fromEntries(services.map((one) => [one, randomBytes(16).toString('hex')]));
  const adminUrl = server.url;
  const urls = await provisionDatabases({ adminUrl, services: [...services], secrets });
  return { pid: server.pid, adminUrl, urls };
};

/** Opens a connection that is closed with `resources`. */
export const openConnection = async (
  connectionString: string,
  resources: AsyncDisposableStack,
): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  resources.defer(() => client.end());
  return client;
};

/** Calls `work` with a connection, and closes it when `work` has resolved or rejected. */
export const withConnection = async <T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  await using resources = new AsyncDisposableStack();
  return await work(await openConnection(connectionString, resources));
};

/** Version and durability settings of the measured PostgreSQL server. */
export type PostgresSettings = {
  version: string;
  fsync: string;
  synchronousCommit: string;
  fullPageWrites: string;
};

/** Returns version and durability settings. Throws if commits are not durable. */
export const readPostgresSettings = (databaseUrl: string): Promise<PostgresSettings> =>
  withConnection(databaseUrl, async (client) => {
    const { rows } = await client.query<PostgresSettings>(
      `SELECT current_setting('server_version') AS version,
              current_setting('fsync') AS fsync,
              current_setting('synchronous_commit') AS "synchronousCommit",
              current_setting('full_page_writes') AS "fullPageWrites"`,
    );
    const settings = rows[0]!;
    if (settings.fsync === 'on' && settings.synchronousCommit === 'on') return settings;
    throw new Error(
      'This PostgreSQL does not wait for its disk: set fsync and synchronous_commit.',
    );
  });
