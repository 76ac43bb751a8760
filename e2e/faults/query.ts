import { findDatabaseUrl } from '@witan/stack';
import { withClient } from '@witan/stack/postgres/ensure-database';

export const query = <Row extends object>(
  databaseUrl: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> =>
  withClient(databaseUrl, async (client) => (await client.query<Row>(sql, values)).rows);

/** Runs queries in one snapshot of a service's database, over the rows of all workspaces. */
export const readSnapshot = async <T>(
  { home, service }: { home: string; service: 'ledger' | 'notifier' },
  read: (rowsOf: <Row extends object>(sql: string) => Promise<Row[]>) => Promise<T>,
): Promise<T> => {
  const databaseUrl = await findDatabaseUrl(home, service);
  if (databaseUrl === undefined) throw new Error(`The system in ${home} is not running.`);
  return withClient(databaseUrl, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`SELECT set_config('witan.scope', '*', false)`);
    return read(async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows);
  });
};
