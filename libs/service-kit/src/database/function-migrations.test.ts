import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { createLog } from '../log/create-log.ts';
import { functionMigrations, readSqlFunctions } from './function-migrations.ts';
import { openDatabase } from './open-database.ts';

const versionSql = (version: number): string =>
  `-- A comment; with a semicolon.
   CREATE OR REPLACE FUNCTION version() RETURNS integer LANGUAGE sql
   AS $$ SELECT ${version}; $$;`;
const OTHER = `CREATE OR REPLACE FUNCTION other() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$;`;

describe('functionMigrations', () => {
  let folder: string;
  let test: TestDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-functions-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    test = await createTestDatabase(['ledger']);
  });
  afterEach(async () => {
    await test[Symbol.asyncDispose]();
  });

  /** Starts a release with these functions and returns the log lines about migrations. */
  const start = async (functions: Record<string, string>): Promise<string[]> => {
    const logged: string[] = [];
    const database = await openDatabase({
      url: test.urls.ledger!,
      schema: 'ledger',
      entities: [],
      migrations: functionMigrations(
        Object.entries(functions).map(([name, sql]) => ({ name, sql })),
      ),
      log: createLog({
        service: 'ledger',
        level: 'info',
        destination: { write: (line) => void logged.push(line) },
      }),
    });
    await database[Symbol.asyncDispose]();
    return logged.flatMap((line) => {
      const { migrations = [] } = JSON.parse(line) as { migrations?: string[] };
      return migrations.map((name) => name.replace(/ [0-9a-f]{16}$/, ''));
    });
  };
  const readVersion = async (): Promise<number> => {
    await using database = await openDatabase({
      url: test.urls.ledger!,
      schema: 'ledger',
      entities: [],
      migrations: [],
      log: createLog({ service: 'ledger', level: 'silent' }),
    });
    const { rows } = await database.pool.query<{ version: number }>('SELECT ledger.version()');
    return rows[0]!.version;
  };

  it('reads the functions of a folder in the order of their names', async () => {
    await writeFile(join(folder, 'b.sql'), 'second');
    await writeFile(join(folder, 'a.sql'), 'first');
    await writeFile(join(folder, 'c.ts'), '');
    expect(readSqlFunctions(pathToFileURL(`${folder}/`))).toEqual([
      { name: 'a', sql: 'first' },
      { name: 'b', sql: 'second' },
    ]);
  });

  it('applies a function again only when its text changed', async () => {
    expect(await start({ other: OTHER, version: versionSql(1) })).toEqual([
      'function other',
      'function version',
    ]);
    expect(await start({ other: OTHER, version: versionSql(1) })).toEqual([]);
    expect(await start({ other: OTHER, version: versionSql(2) })).toEqual(['function version']);
    expect(await readVersion()).toBe(2);
  });

  it('does not let a restarted replica of the previous release undo a change', async () => {
    await start({ version: versionSql(1) });
    await start({ version: versionSql(2) });
    expect(await start({ version: versionSql(1) })).toEqual([]);
    expect(await readVersion()).toBe(2);
  });

  it('applies all functions or none', async () => {
    await start({ version: versionSql(1) });
    const broken = { version: versionSql(2), zero: 'SELECT 1 / 0' };
    await expect(start(broken)).rejects.toThrow('division by zero');
    expect(await readVersion()).toBe(1);
  });
});
