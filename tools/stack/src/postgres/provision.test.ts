import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from './service-database.ts';
import { withClient } from './ensure-database.ts';
import {
  deleteEmbeddedPostgres,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from './open-embedded-postgres.ts';
import { provisionDatabases } from './provision.ts';

const TIMEOUT_MS = 60_000;
const services = ['ledger', 'llm-gateway'];
const secrets = { ledger: 'ledger:/?#[]@ %', 'llm-gateway': 'second' };
const log = (): void => undefined;

let home: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'witan-stack-provision-'));
  await chmod(home, 0o755);
  server = await openEmbeddedPostgres({ dir: join(home, 'postgres'), durable: false, log });
}, TIMEOUT_MS);

afterAll(async () => {
  await server?.stop();
  await deleteEmbeddedPostgres({ dir: join(home, 'postgres'), log });
  await rm(home, { recursive: true, force: true });
}, TIMEOUT_MS);

async function query(url: string | undefined, sql: string): Promise<unknown[]> {
  return withClient(url ?? '', async (client) => (await client.query(sql)).rows as unknown[]);
}

const provision = (database: string, changes: object = {}): Promise<Record<string, string>> =>
  provisionDatabases({ adminUrl: server.url, services, secrets, database, ...changes });

describe('provisionDatabases', () => {
  it('creates an unprivileged role per service that works in its own schema', async () => {
    const urls = await provision('shaped');
    expect(Object.keys(urls)).toEqual(services);
    await query(urls['llm-gateway'], 'CREATE TABLE answers (id int)');
    await expect(
      query(
        urls['llm-gateway'],
        `SELECT current_user AS role, tableowner AS owner, schemaname AS schema, rolsuper,
                rolbypassrls, rolcreaterole, rolcreatedb
           FROM pg_tables, pg_roles WHERE tablename = 'answers' AND rolname = current_user`,
      ),
    ).resolves.toEqual([
      {
        role: 'witan_llm_gateway',
        owner: 'witan_llm_gateway',
        schema: 'llm_gateway',
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
      },
    ]);
  });

  it('prevents access to other schemas and creation in public', async () => {
    const urls = await provision('isolated');
    await query(urls['ledger'], 'CREATE TABLE heads (id int)');
    const denied = { code: '42501' };
    await expect(query(urls['llm-gateway'], 'SELECT * FROM ledger.heads')).rejects.toMatchObject(
      denied,
    );
    for (const sql of [
      'CREATE TABLE ledger.intruder (id int)',
      'CREATE TABLE public.intruder (id int)',
      'CREATE SCHEMA intruder',
      'DROP SCHEMA ledger CASCADE',
      'SET ROLE witan_ledger',
    ]) {
      await expect(query(urls['llm-gateway'], sql)).rejects.toMatchObject(denied);
    }
  });

  it('limits statements, lock waits and idle transactions of every role', async () => {
    const urls = await provision('bounded');
    await expect(
      query(
        urls['ledger'],
        `SELECT current_setting('statement_timeout') AS statement,
                current_setting('lock_timeout') AS lock,
                current_setting('idle_in_transaction_session_timeout') AS idle`,
      ),
    ).resolves.toEqual([{ statement: '30s', lock: '10s', idle: '30s' }]);
  });

  it('writes nothing when called again', async () => {
    const versions = (): Promise<unknown[]> =>
      query(
        withDatabase(server.url, 'repeated'),
        `SELECT xmin::text, rolname AS name FROM pg_authid WHERE rolname LIKE 'witan%'
         UNION ALL SELECT xmin::text, setrole::text FROM pg_db_role_setting
         UNION ALL SELECT xmin::text, nspname FROM pg_namespace ORDER BY 2`,
      );
    const first = await provision('repeated');
    const before = await versions();
    await expect(provision('repeated')).resolves.toEqual(first);
    await expect(versions()).resolves.toEqual(before);
  });

  it('supports concurrent callers through one and several admin databases', async () => {
    const prefix = { rolePrefix: 'parallel' };
    const calls = Array.from({ length: 8 }, (_, index) =>
      provision(`parallel_${index % 3}`, {
        ...prefix,
        adminUrl: index % 2 === 0 ? server.url : withDatabase(server.url, 'postgres'),
      }),
    );
    for (const urls of await Promise.all(calls)) {
      await expect(query(urls['ledger'], 'SELECT current_user AS me')).resolves.toEqual([
        { me: 'parallel_ledger' },
      ]);
    }
  });

  it('updates the password of an existing role and revokes its privileges', async () => {
    const rolePrefix = 'changed';
    await query(server.url, 'CREATE ROLE changed_ledger SUPERUSER BYPASSRLS');
    const [first] = [await provision('changed', { rolePrefix })];
    const rotated = { ...secrets, ledger: 'rotated' };
    const second = await provision('changed', { rolePrefix, secrets: rotated });
    await expect(query(first['ledger'], 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    await expect(
      query(
        second['ledger'],
        'SELECT rolsuper OR rolbypassrls AS strong FROM pg_roles WHERE rolname = current_user',
      ),
    ).resolves.toEqual([{ strong: false }]);
  });

  it('works for an admin with CREATEROLE and CREATEDB who is not a superuser', async () => {
    await query(server.url, `CREATE ROLE steward LOGIN CREATEROLE CREATEDB PASSWORD 'steward'`);
    const adminUrl = asUser(server.url, 'steward');
    const request = { adminUrl, rolePrefix: 'managed' };
    const urls = await provision('managed', request);
    await expect(provision('managed', request)).resolves.toEqual(urls);
    await query(urls['ledger'], 'CREATE TABLE heads (id int)');
  });

  it('reports a missing CREATEROLE privilege', async () => {
    await query(server.url, `CREATE ROLE visitor LOGIN PASSWORD 'visitor'`);
    await expect(
      provision('refused', { adminUrl: asUser(server.url, 'visitor') }),
    ).rejects.toMatchObject({
      reason: 'admin-lacks-privilege',
      message: expect.stringMatching(/"visitor".*CREATEROLE/),
    });
  });

  it('reports a missing privilege to create schemas', async () => {
    await query(server.url, `CREATE ROLE halfway LOGIN CREATEROLE PASSWORD 'halfway'`);
    const adminUrl = asUser(server.url, 'halfway');
    await expect(
      provisionDatabases({ adminUrl, services, secrets, rolePrefix: 'half' }),
    ).rejects.toMatchObject({
      reason: 'admin-lacks-privilege',
      message: expect.stringMatching(/"halfway".*permission denied for database/),
    });
  });

  it('refuses a schema that belongs to another role', async () => {
    await provision('crowded', { services: [] });
    await query(withDatabase(server.url, 'crowded'), 'CREATE SCHEMA ledger');
    await expect(provision('crowded')).rejects.toMatchObject({ reason: 'schema-taken' });
  });

  it.each([
    { what: 'a name that is not an identifier', changes: { services: ['x"; DROP'] } },
    { what: 'a service without a password', changes: { services: ['agents'] } },
  ])('refuses $what', async ({ changes }) => {
    await expect(provision('refused', changes)).rejects.toMatchObject({
      reason: 'invalid-request',
    });
  });
});

function asUser(url: string, user: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = user;
  return changed.href;
}
