import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client } from 'pg';
import { createLog } from '../log/create-log.ts';
import { openDatabase } from './open-database.ts';

// Unique, because roles belong to the whole server, which other tests use at the same time.
const SUFFIX = randomBytes(4).toString('hex');
const LATE_ROLE = `witan_test_late_role_${SUFFIX}`;
const LATE_SCHEMA = `witan_test_late_schema_${SUFFIX}`;

describe('openDatabase, before the database is ready', () => {
  let test: TestDatabase;
  let admin: Client;
  beforeAll(async () => {
    test = await createTestDatabase([]);
    admin = new Client({ connectionString: test.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    for (const role of [LATE_ROLE, LATE_SCHEMA]) {
      await admin.query(`DROP OWNED BY ${role} CASCADE`);
      await admin.query(`DROP ROLE ${role}`);
    }
    await admin.end();
    await test[Symbol.asyncDispose]();
  });

  const urlOf = (role: string): string =>
    Object.assign(new URL(test.adminUrl), { username: role, password: 'secret' }).href;
  /** Calls `provision` at the first log line, which reports that the database is not ready. */
  const openWhile = async (role: string, provision: () => Promise<void>) => {
    const lines: string[] = [];
    let provisioned: Promise<void> | undefined;
    const write = (line: string): void => {
      lines.push(line);
      provisioned ??= provision();
    };
    const log = createLog({ service: role, level: 'warn', destination: { write } });
    const options = { url: urlOf(role), schema: role, entities: [], migrations: [], log };
    await using database = await openDatabase(options);
    await database.check();
    await provisioned;
    return lines.map((line) => JSON.parse(line) as object);
  };

  it('waits for its role', async () => {
    const lines = await openWhile(LATE_ROLE, async () => {
      await admin.query(`CREATE ROLE ${LATE_ROLE} LOGIN PASSWORD 'secret'`);
      await admin.query(`CREATE SCHEMA ${LATE_ROLE} AUTHORIZATION ${LATE_ROLE}`);
    });
    expect(lines).toMatchObject([{ event: 'database_not_ready' }]);
  });

  it('waits for its schema', async () => {
    await admin.query(`CREATE ROLE ${LATE_SCHEMA} LOGIN PASSWORD 'secret'`);
    const lines = await openWhile(LATE_SCHEMA, async () => {
      await admin.query(`CREATE SCHEMA ${LATE_SCHEMA} AUTHORIZATION ${LATE_SCHEMA}`);
    });
    expect(lines).toMatchObject([{ err: { type: 'SchemaMissingError' } }]);
  });

  it.each<[string, Partial<URL>, RegExp]>([
    ['refuses connections', { port: '1' }, /PostgreSQL was not ready within 0 s: .*ECONNREFUSED/],
    ['is missing', { pathname: '/none' }, /within 0 s: database "none" does not exist/],
  ])('rejects with a sentence after its wait when the database %s', async (_, changes, message) => {
    const log = createLog({ service: 'ledger', level: 'silent' });
    const url = Object.assign(new URL(test.adminUrl), changes).href;
    const options = { url, schema: 'ledger', entities: [], migrations: [], log, waitMs: 0 };
    await expect(openDatabase(options)).rejects.toThrow(message);
  });
});
