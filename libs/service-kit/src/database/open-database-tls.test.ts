import { expect, it } from '@jest/globals';
import { openTestPostgres } from '@witan/testing';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { Client } from 'pg';
import { createLog } from '../log/create-log.ts';
import { openDatabase } from './open-database.ts';
import { everyWorkspace } from './scope.ts';

const OWN_CONNECTION = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

it('every connection uses TLS if the database URL requires it', async () => {
  await using server = await openTestPostgres();
  await enableTls(server.url);
  await using database = await openDatabase({
    url: `${server.url}?sslmode=no-verify`,
    schema: 'public',
    entities: [],
    migrations: [],
    log: createLog({ service: 'ledger', level: 'silent' }),
  });
  const rows = await database.scoped(everyWorkspace, (em) => em.execute(OWN_CONNECTION));
  expect(rows).toEqual([{ ssl: true }]);
  expect((await database.pool.query(OWN_CONNECTION)).rows).toEqual([{ ssl: true }]);
});

const enableTls = async (url: string): Promise<void> => {
  const { cert, key } = createTestCertificate(['127.0.0.1'], { kind: 'p256' });
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const rows = await client.query<{ dir: string }>(
      `SELECT current_setting('data_directory') AS dir`,
    );
    const { dir } = rows.rows[0]!;
    // Writes a file from within the server process, because PostgreSQL must own its certificate
    // files.
    const write = (name: string, text: string): Promise<unknown> =>
      client.query(
        `COPY (SELECT unnest(string_to_array(${client.escapeLiteral(text.trim())}, E'\\n')))
         TO PROGRAM ${client.escapeLiteral(`umask 077; cat > '${dir}/${name}'`)}`,
      );
    await write('server.crt', cert);
    await write('server.key', key);
    await write('pg_hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256');
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
};
