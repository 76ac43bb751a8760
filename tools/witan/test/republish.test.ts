import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLog, openDatabase, outboxSql, workspaceScope, writeEvent } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { runRepublish } from '../src/commands/republish.ts';
import { UsageError } from '../src/usage.ts';
import { runWitan } from './run-witan.ts';

jest.setTimeout(90_000);

const writePublished = async (url: string, count: number): Promise<void> => {
  const log = createLog({ service: 'ledger', level: 'silent' });
  const options = { url, schema: 'ledger', entities: [], migrations: [], log };
  await using database = await openDatabase(options);
  await database.pool.query(outboxSql());
  await database.scoped(workspaceScope('ws_a'), async (em) => {
    for (let written = 0; written < count; written += 1) {
      await writeEvent(em, { workspaceId: 'ws_a', type: 'a.b', payload: new Uint8Array() });
    }
    await em.execute(`UPDATE outbox SET published_at = now()`);
  });
};

describe('witan republish', () => {
  let database: TestDatabase;
  let home: string;
  beforeAll(async () => {
    database = await createTestDatabase(['ledger', 'llm-gateway']);
    await writePublished(database.urls['ledger']!, 3);
    home = await mkdtemp(join(tmpdir(), 'witan-home-'));
  });
  afterAll(async () => {
    await rm(home, { recursive: true });
    await database[Symbol.asyncDispose]();
  });

  it('requeues events published since a time in the outbox of DATABASE_URL', async () => {
    const env = { WITAN_HOME: home, DATABASE_URL: database.urls['ledger']! };
    const future = await runWitan(['republish', '--since', '2999-01-01T00:00:00Z', '--json'], env);
    expect([future.code, JSON.parse(future.stdout)]).toEqual([
      0,
      { republished: [{ service: null, facts: 0 }] },
    ]);
    const past = await runWitan(['republish', '--since', '2020-01-01T00:00:00Z'], env);
    expect(past).toEqual({ code: 0, stdout: 'outbox  3 facts\n', stderr: '' });
  });

  it('fails if a database has no outbox or no system runs', async () => {
    const since = ['republish', '--since', '2020-01-01T00:00:00Z'];
    const withoutOutbox = await runWitan(since, { DATABASE_URL: database.urls['llm-gateway']! });
    expect(withoutOutbox).toMatchObject({ code: 1, stderr: expect.stringContaining('no outbox') });
    const withoutSystem = await runWitan(since, { WITAN_HOME: home });
    expect(withoutSystem).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No system runs'),
    });
  });

  it('uses the databases of the system in WITAN_HOME', async () => {
    const system = { adminUrls: { ledger: '' }, databaseUrl: database.adminUrl };
    await writeFile(join(home, 'system.json'), JSON.stringify(system));
    const args = ['republish', '--since', '2020-01-01', '--json'];
    const { code, stdout } = await runWitan(args, { WITAN_HOME: home });
    expect([code, JSON.parse(stdout)]).toEqual([0, { republished: [] }]);
  });

  it.each([
    ['no timestamp', []],
    ['an invalid timestamp', ['--since', 'yesterday']],
    ['an unknown option', ['--since', '2020-01-01', '--all']],
  ])('rejects invalid usage before opening anything: %s', async (_name, argv) => {
    await expect(runRepublish(argv)).rejects.toBeInstanceOf(UsageError);
  });
});
