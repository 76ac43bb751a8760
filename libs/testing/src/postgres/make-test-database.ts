import { randomBytes } from 'node:crypto';
import { withClient } from '@witan/stack/postgres/ensure-database';

/** A name that no other database of the server has. */
export const newDatabaseName = (): string => `witan_test_${randomBytes(8).toString('hex')}`;

/** Creates a database; without a `template` it is empty. */
export async function makeTestDatabase(
  serverUrl: string,
  name: string,
  template?: string,
): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ fsync: string }>(
      `SELECT current_setting('fsync') AS fsync`,
    );
    // Copying the template's files takes half the time of logging them, but writes a
    // checkpoint, which costs nothing on a server without fsync only.
    const strategy = rows[0]?.fsync === 'off' ? 'FILE_COPY' : 'WAL_LOG';
    const from = template === undefined ? '' : `TEMPLATE ${template}`;
    await client.query(`CREATE DATABASE ${name} ${from} STRATEGY ${strategy}`);
  });
}

/** Drops a database, if it is there, whoever is still connected. */
export async function dropTestDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}
