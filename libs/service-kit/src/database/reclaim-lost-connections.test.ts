import { afterEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { createTestDatabase } from '@witan/testing';
import { Client } from 'pg';
import { createLog } from '../log/create-log.ts';
import { openDatabase } from './open-database.ts';
import { everyWorkspace } from './scope.ts';

const POOL_SIZE = 2;
const LOSSES = 3 * POOL_SIZE;

let resources = new AsyncDisposableStack();
afterEach(async () => {
  await resources.disposeAsync();
  resources = new AsyncDisposableStack();
});

const open = async () => {
  const testDatabase = resources.use(await createTestDatabase(['ledger']));
  const admin = new Client({ connectionString: testDatabase.adminUrl });
  await admin.connect();
  resources.defer(() => admin.end());
  const database = resources.use(
    await openDatabase({
      url: testDatabase.urls.ledger!,
      schema: 'ledger',
      entities: [],
      migrations: [],
      log: createLog({ service: 'ledger', level: 'silent' }),
      poolSize: POOL_SIZE,
    }),
  );
  const kill = async (em: EntityManager): Promise<void> => {
    const [row] = await em.execute<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
    const running = em.execute('SELECT pg_sleep(30)');
    await admin.query('SELECT pg_terminate_backend($1)', [row!.pid]);
    await running;
  };
  return { database, kill };
};

describe('a connection lost inside a transaction', () => {
  it('fails the work and frees its slot in the pool', async () => {
    const { database, kill } = await open();
    for (let loss = 0; loss < LOSSES; loss += 1) {
      const lost = database.scoped(everyWorkspace, (em) => kill(em));
      await expect(lost).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    }
    const result = database.scoped(everyWorkspace, (em) => em.execute('SELECT 1 AS one'));
    expect(await result).toEqual([{ one: 1 }]);
  });

  it('does not affect concurrent transactions', async () => {
    const { database, kill } = await open();
    const concurrent = database.scoped(everyWorkspace, async (em) => {
      for (let loss = 0; loss < LOSSES; loss += 1) {
        const lost = database.scoped(everyWorkspace, (otherTransaction) => kill(otherTransaction));
        await expect(lost).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
      }
      return await em.execute('SELECT 2 AS two');
    });
    expect(await concurrent).toEqual([{ two: 2 }]);
  });
});
