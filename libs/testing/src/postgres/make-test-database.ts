import { randomBytes } from 'node:crypto';
import { withClient } from '@witan/stack/postgres/ensure-database';

export const newDatabaseName = (): string => `witan_test_${randomBytes(8).toString('hex')}`;

export async function makeTestDatabase(
  serverUrl: string,
  name: string,
  template?: string,
): Promise<void> {
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
