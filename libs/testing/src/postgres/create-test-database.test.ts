import { describe, expect, it } from '@jest/globals';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { createTestDatabase } from './create-test-database.ts';
import { getAdminUrl } from '../config.ts';
import { openTestPostgres } from './open-test-postgres.ts';

const SERVICES = ['api-gateway', 'ledger', 'llm-gateway'];

async function query(url: string | undefined, sql: string): Promise<unknown[]> {
  return withClient(url ?? '', async (client) => (await client.query(sql)).rows as unknown[]);
}

const databaseNames = (url = getAdminUrl()): Promise<unknown[]> =>
  query(url, `SELECT datname FROM pg_database WHERE datname LIKE 'witan_test_%'`);

describe('createTestDatabase', () => {
  it('creates databases with the same roles concurrently', async () => {
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => createTestDatabase(SERVICES)),
    );
    for (const { urls } of databases) await query(urls['ledger'], 'CREATE TABLE heads (id int)');
    for (const { urls, adminUrl, name } of databases) {
      await expect(
        query(urls['ledger'], 'SELECT current_user AS me, current_schema AS schema'),
      ).resolves.toEqual([{ me: 'witan_test_ledger', schema: 'ledger' }]);
      await expect(query(adminUrl, 'SELECT current_database() AS name')).resolves.toEqual([
        { name },
      ]);
      await expect(query(urls['llm-gateway'], 'SELECT * FROM ledger.heads')).rejects.toMatchObject({
        code: '42501',
      });
    }
    for (const database of databases) await database[Symbol.asyncDispose]();
  });

  it('creates migrated databases that share no rows', async () => {
    const creations = [['ledger'], SERVICES].map((services) =>
      createTestDatabase(services, { isMigrated: true }),
    );
    const [one, other] = await Promise.all(creations);
    const count = (database = one!): Promise<unknown[]> =>
      query(database.adminUrl, 'SELECT count(*)::integer AS count FROM notifier.inbox');
    await query(one!.adminUrl, `INSERT INTO notifier.inbox (fact_id) VALUES ('evt_1')`);
    expect([await count(), await count(other)]).toEqual([[{ count: 1 }], [{ count: 0 }]]);
    await expect(
      query(one!.urls['ledger'], 'SELECT count(*)::integer AS count FROM certificate'),
    ).resolves.toEqual([{ count: 0 }]);
    for (const database of [one!, other!]) await database[Symbol.asyncDispose]();
  });

  it('drops the database on disposal, even with open connections', async () => {
    const database = await createTestDatabase(['ledger']);
    await withClient(database.urls['ledger'] ?? '', async (client) => {
      await expect(databaseNames()).resolves.toContainEqual({ datname: database.name });
      await database[Symbol.asyncDispose]();
      await expect(client.query('SELECT 1')).rejects.toThrow(/connection|terminat/i);
    });
    await expect(databaseNames()).resolves.not.toContainEqual({ datname: database.name });
  });

  it('drops the database when provisioning fails', async () => {
    // A private server, because parallel tests create databases on the shared server too.
    await using server = await openTestPostgres();
    const rejected = createTestDatabase(['Not a service'], { serverUrl: server.url });
    await expect(rejected).rejects.toMatchObject({ reason: 'invalid-request' });
    await expect(databaseNames(server.url)).resolves.toEqual([]);
  });
});
