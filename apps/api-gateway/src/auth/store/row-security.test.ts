import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { createKey, createWorkspace } from './key-store.ts';
import { openStorage } from '../../open-storage.ts';

const OTHER = 'ws_other';

describe('row-level security of workspaces', () => {
  let test: TestDatabase;
  let database: Database;
  let workspaceId: string;
  beforeAll(async () => {
    test = await createTestDatabase(['api-gateway']);
    const log = createLog({ service: 'test', level: 'silent' });
    database = await openStorage(test.urls['api-gateway']!, log);
    const owner = await createWorkspace(database, 'mine');
    workspaceId = owner.workspaceId;
    await createKey(database, { ...owner, name: 'mine', scopes: ['*'], actor: 'test' });
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const TABLES = ['workspace', 'api_key', 'audit'];

  it.each(TABLES)('shows no row of %s to a store without a scope', async (table) => {
    const { rows } = await database.pool.query(`SELECT * FROM ${table}`);
    expect(rows).toEqual([]);
  });

  it.each(TABLES)('shows only the rows of %s in the scope', async (table) => {
    const count = (id: string): Promise<unknown[]> =>
      database.scoped(workspaceScope(id), (em) => em.execute(`SELECT 1 FROM ${table}`));
    expect(await count(OTHER)).toEqual([]);
    expect(await count(workspaceId)).toHaveLength(1);
  });

  it('refuses to insert a workspace without the right scope', async () => {
    const insertSql = `INSERT INTO workspace VALUES ('ws_new', 'new', 'usr_1', now())`;
    await expect(database.pool.query(insertSql)).rejects.toThrow('row-level security');
    const scoped = database.scoped(workspaceScope(OTHER), (em) => em.execute(insertSql));
    await expect(scoped).rejects.toThrow('row-level security');
  });

  it('prevents changes and deletions without a scope', async () => {
    const { pool } = database;
    const renamed = await pool.query(`UPDATE workspace SET name = 'taken over'`);
    const deleted = await pool.query('DELETE FROM workspace');
    expect([renamed.rowCount, deleted.rowCount]).toEqual([0, 0]);
  });

  it('refuses to change the id of a workspace to a foreign one', async () => {
    const moved = database.scoped(workspaceScope(workspaceId), (em) =>
      em.execute(`UPDATE workspace SET id = '${OTHER}'`),
    );
    await expect(moved).rejects.toThrow('row-level security');
  });
});
