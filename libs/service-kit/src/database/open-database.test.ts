import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p } from '@mikro-orm/postgresql';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { createLog } from '../log/create-log.ts';
import { openDatabase } from './open-database.ts';
import type { Database } from './open-database.ts';
import { everyWorkspace, rowSecuritySql, workspaceScope } from './scope.ts';

const NoteEntity = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: { id: p.string().primary(), workspaceId: p.string(), text: p.string() },
});

class Notes extends Migration {
  override up(): void {
    this.addSql('CREATE TABLE note (id text PRIMARY KEY, workspace_id text NOT NULL, text text)');
    this.addSql(rowSecuritySql('note'));
    // The table gets one row per run of this migration, so that a test can count the runs.
    this.addSql('CREATE TABLE ran (at timestamptz)');
    this.addSql('INSERT INTO ran SELECT clock_timestamp() FROM pg_sleep(0.05)');
  }
}

class Slow extends Migration {
  override up(): void {
    this.addSql('SELECT pg_sleep(0.3)');
  }
}

class Failing extends Migration {
  override up(): void {
    this.addSql('CREATE TABLE half (id text)');
    this.addSql('SELECT 1 / 0');
  }
}

const MIGRATIONS = [{ name: '0001-notes', class: Notes }];

describe('openDatabase', () => {
  let test: TestDatabase;
  let replicas: Database[];
  const logged: string[] = [];
  const log = createLog({
    service: 'ledger',
    level: 'info',
    destination: { write: (line) => void logged.push(line) },
  });
  const open = (migrations: Parameters<typeof openDatabase>[0]['migrations'] = MIGRATIONS) => {
    const url = test.urls.ledger!;
    return openDatabase({ url, schema: 'ledger', entities: [NoteEntity], migrations, log });
  };
  beforeAll(async () => {
    test = await createTestDatabase(['ledger']);
    replicas = await Promise.all([open(), open(), open()]);
  });
  afterAll(async () => {
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const write = (scope: ReturnType<typeof workspaceScope>, id: string, workspaceId: string) =>
    replicas[0]!.scoped(scope, async (em) => {
      await em.insert(NoteEntity, { id, workspaceId, text: 'x' });
    });
  const idsOf = (scope: ReturnType<typeof workspaceScope>): Promise<string[]> =>
    replicas[1]!.scoped(scope, async (em) => {
      const rows = await em.find(NoteEntity, {}, { orderBy: { id: 'asc' } });
      return rows.map(({ id }) => id);
    });

  it('migrates once when replicas start concurrently', async () => {
    const { rows } = await replicas[0]!.pool.query('SELECT count(*)::int AS runs FROM ran');
    expect(rows).toEqual([{ runs: 1 }]);
    const migrated = logged.filter((line) => line.includes('"migrations":["0001-notes"'));
    expect(migrated).toHaveLength(1);
  });

  it('does not apply the statement timeout to migrations', async () => {
    const url = `${test.urls.ledger!}?options=${encodeURIComponent('-c statement_timeout=100ms')}`;
    const slowMigration = { name: '0002-slow', class: Slow };
    const options = { url, schema: 'ledger', entities: [NoteEntity], log };
    await using database = await openDatabase({
      ...options,
      migrations: [...MIGRATIONS, slowMigration],
    });
    const query = database.scoped(everyWorkspace, (em) => em.execute('SELECT pg_sleep(0.3)'));
    await expect(query).rejects.toThrow('statement timeout');
  });

  it('does not repeat a migration at a later start', async () => {
    await using laterDatabase = await open();
    const { rows } = await laterDatabase.pool.query('SELECT count(*)::int AS runs FROM ran');
    expect(rows).toEqual([{ runs: 1 }]);
  });

  it('rolls back a failing migration and rejects', async () => {
    const failingOpen = open([...MIGRATIONS, { name: '0002-failing', class: Failing }]);
    await expect(failingOpen).rejects.toThrow('division by zero');
    const { rows } = await replicas[0]!.pool.query(`SELECT to_regclass('half') AS found`);
    expect(rows).toEqual([{ found: null }]);
  });

  it('shows each scope only its own rows, even if the query names no workspace', async () => {
    await write(workspaceScope('ws_a'), 'a1', 'ws_a');
    await write(workspaceScope('ws_b'), 'b1', 'ws_b');
    await write(workspaceScope('ws_a', 'ws_b'), 'b2', 'ws_b');
    expect(await idsOf(workspaceScope('ws_a'))).toEqual(['a1']);
    expect(await idsOf(workspaceScope('ws_b'))).toEqual(['b1', 'b2']);
    expect(await idsOf(workspaceScope('ws_a', 'ws_b'))).toEqual(['a1', 'b1', 'b2']);
    expect(await idsOf(workspaceScope('ws_c'))).toEqual([]);
    expect(await idsOf(workspaceScope())).toEqual([]);
    expect(await idsOf(everyWorkspace)).toEqual(['a1', 'b1', 'b2']);
  });

  it('rejects a row of a workspace outside the scope', async () => {
    await expect(write(workspaceScope('ws_a'), 'x1', 'ws_b')).rejects.toThrow('row-level security');
  });

  it('finds no rows and rejects inserts without a scope', async () => {
    const { pool } = replicas[0]!;
    expect((await pool.query('SELECT * FROM note')).rows).toEqual([]);
    const insert = pool.query(`INSERT INTO note VALUES ('x2', 'ws_a', '')`);
    await expect(insert).rejects.toThrow('row-level security');
  });

  it('resets the scope of a connection after each transaction', async () => {
    await Promise.all(Array.from({ length: 10 }, () => idsOf(everyWorkspace)));
    const unscoped = replicas[1]!.scoped(workspaceScope(), (em) => em.count(NoteEntity, {}));
    expect(await unscoped).toBe(0);
  });

  it('runs a plain statement, and rejects with UNAVAILABLE when the connection is lost', async () => {
    const { pool, query } = replicas[0]!;
    expect(await query({ text: 'SELECT $1::int + 1 AS two', values: [1] })).toEqual([{ two: 2 }]);
    await expect(query({ text: 'SELECT 1 / 0' })).rejects.toMatchObject({ code: '22012' });
    const failure = query({ text: 'SELECT pg_sleep(30), 1 AS hot' }).catch((error) => error);
    const kill = `SELECT pg_terminate_backend(pid) AS killed FROM pg_stat_activity
      WHERE query = 'SELECT pg_sleep(30), 1 AS hot'`;
    await eventually(async () => (await pool.query(kill)).rows.length || undefined, 'its start');
    expect(await failure).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await query({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
  });

  it('rolls back when the work fails', async () => {
    const failingWork = replicas[0]!.scoped(workspaceScope('ws_d'), async (em) => {
      await em.insert(NoteEntity, { id: 'd1', workspaceId: 'ws_d', text: '' });
      throw new Error('changed my mind');
    });
    await expect(failingWork).rejects.toThrow('changed my mind');
    expect(await idsOf(workspaceScope('ws_d'))).toEqual([]);
  });

  it('closes after running work has ended, and rejects later work', async () => {
    // The number of ticks varies, so that some rounds close while a connection is being acquired.
    for (let ticks = 0; ticks < 12; ticks += 1) {
      const replica = await open();
      const ask = () => replica.scoped(everyWorkspace, (em) => em.execute('SELECT 1 AS one'));
      const asked = [ask(), ask(), ask()];
      for (let tick = 0; tick < ticks; tick += 1) await new Promise(setImmediate);
      await replica[Symbol.asyncDispose]();
      expect(await Promise.all(asked)).toEqual(asked.map(() => [{ one: 1 }]));
      await expect(ask()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    }
  });

  it('passes its check until it is closed', async () => {
    const closed = await open();
    await closed.check();
    await closed[Symbol.asyncDispose]();
    await expect(closed.check()).rejects.toThrow('after calling end on the pool');
  });
});

describe('a workspace scope', () => {
  it.each(['', 'ws_a,ws_b', '*', "ws_a' OR true", 'ws a', 'w'.repeat(65)])(
    'rejects the workspace id "%s"',
    (id) => {
      expect(() => workspaceScope(id)).toThrow('A workspace id has');
      expect(() => workspaceScope('ws_ok', id)).toThrow('A workspace id has');
    },
  );
});
