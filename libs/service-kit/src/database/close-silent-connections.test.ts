import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Pool } from 'pg';
import { closeSilentConnections, limitSilence } from './close-silent-connections.ts';

const SILENCE_MAX_MS = 50;
/** Longer than the limit, so that the server itself ends no query earlier. */
const SLEEP_S = 0.3;

describe('closeSilentConnections', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeEach(async () => {
    database = await createTestDatabase(['ledger']);
    pool = new Pool({ connectionString: database.urls.ledger!, max: 1 });
    pool.on('error', () => {});
    closeSilentConnections(pool, () => SILENCE_MAX_MS);
  });
  afterEach(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  it('fails a query that gets no response, and frees its slot in the pool', async () => {
    const query = pool.query('SELECT pg_sleep(30)');
    await expect(query).rejects.toThrow('Connection terminated');
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('keeps a connection with another limit until it is released', async () => {
    const client = await pool.connect();
    limitSilence(client, 0);
    await client.query(`SELECT pg_sleep(${SLEEP_S})`);
    client.release();
    // The limit of the pool applies again.
    await expect(pool.query('SELECT pg_sleep(30)')).rejects.toThrow('Connection terminated');
  });
});
