import pg from 'pg';
import { errorCode } from './postgres-error.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const NO_SUCH_DATABASE = '3D000';
const DUPLICATE_DATABASE = '42P04';
// SQLSTATE that PostgreSQL may return if two clients create the database at the same time.
const UNIQUE_VIOLATION = '23505';

export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A lost connection rejects the pending query and emits `error`. Without a listener, this event
  // would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function ensureDatabase(url: string): Promise<void> {
  try {
    await withClient(url, async () => undefined);
  } catch (error) {
    if (errorCode(error) !== NO_SUCH_DATABASE) throw error;
    const maintenanceUrl = new URL(url);
    maintenanceUrl.pathname = '/postgres';
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    await withClient(maintenanceUrl.href, (client) => createDatabase(client, name));
  }
}

export async function createDatabase(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    const code = errorCode(error);
    if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error;
  }
}
