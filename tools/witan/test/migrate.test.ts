import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { runMigrate } from '../src/commands/migrate.ts';
import { UsageError } from '../src/usage.ts';
import { databaseVariable } from '../src/config.ts';
import { runWitan } from './run-witan.ts';

const SERVICES = ['ledger', 'llm-gateway', 'notifier', 'agents', 'simulation', 'api-gateway'];

jest.setTimeout(180_000);

type MigratedService = { service: string; applied: string[] };

describe('witan migrate', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase(SERVICES);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const migrate = async (
    target: string,
    env: Record<string, string>,
  ): Promise<MigratedService[] | string> => {
    const { code, stdout, stderr } = await runWitan(['migrate', target, '--json'], env);
    return code === 0 ? (JSON.parse(stdout) as { migrated: MigratedService[] }).migrated : stderr;
  };

  it('migrates one schema, then all, and applies nothing twice', async () => {
    const one = await migrate('ledger', { DATABASE_URL: database.urls['ledger']! });
    expect(one).toEqual([{ service: 'ledger', applied: expect.arrayContaining(['0001-books']) }]);
    const urls = Object.entries(database.urls).map(([name, url]) => [databaseVariable(name), url]);
    const env = Object.fromEntries(urls) as Record<string, string>;
    const all = (await migrate('all', env)) as MigratedService[];
    expect(all.map(({ service }) => service)).toEqual(SERVICES);
    expect(all[0]).toEqual({ service: 'ledger', applied: [] });
    expect(all.slice(1).every(({ applied }) => applied.length > 0)).toBe(true);
  });

  it('reports all missing URLs, and the service whose database is unreachable', async () => {
    const missing = await runWitan(['migrate', 'all'], { LEDGER_DATABASE_URL: 'postgres://x' });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('5 error(s)');
    expect(missing.stderr).toContain('API_GATEWAY_DATABASE_URL is required');
    const url = 'postgres://witan_ledger:x@127.0.0.1:1/witan';
    const now = ['migrate', 'ledger', '--wait', '0'];
    const unreachable = await runWitan(now, { DATABASE_URL: url });
    expect([unreachable.code, unreachable.stderr]).toEqual([
      1,
      expect.stringContaining('ledger could not be migrated: PostgreSQL was not ready within 0 s'),
    ]);
  });

  it('waits until its schema is provisioned', async () => {
    await using empty = await createTestDatabase([]);
    const url = new URL(database.urls['ledger']!);
    url.pathname = empty.name;
    let provisioned: Promise<unknown> | undefined;
    const provision = (): void => {
      const sql = `CREATE SCHEMA ledger AUTHORIZATION ${url.username}`;
      provisioned ??= withClient(empty.adminUrl, (client) => client.query(sql));
    };
    const command = ['migrate', 'ledger', '--json'];
    const { code, stdout, stderr } = await runWitan(command, { DATABASE_URL: url.href }, provision);
    await provisioned;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('schema \\"ledger\\" does not exist'),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ migrated: [{ service: 'ledger' }] });
  });

  it.each([
    ['no service', []],
    ['an unknown service', ['console']],
    ['two services', ['ledger', 'agents']],
    ['an unknown option', ['all', '--down']],
    ['a wait without a unit that it knows', ['all', '--wait', '2m']],
  ])('rejects invalid usage before opening anything: %s', async (_name, argv) => {
    await expect(runMigrate(argv)).rejects.toBeInstanceOf(UsageError);
  });
});
