import { findDatabaseUrl } from '@witan/stack';
import { Client } from 'pg';

/** Number of reservations in the ledger by state; `held` reservations are still open. */
export type ReservationCounts = { held: number; settled: number; released: number };

/**
 * Returns the number of reservations in each state, read from the ledger's database. Rejects while
 * the database is down.
 */
export const countReservations = async (home: string): Promise<ReservationCounts> => {
  const client = new Client({ connectionString: await findDatabaseUrl(home, 'ledger') });
  client.on('error', () => {
    // Without this listener, the end of a killed database would crash this process. The pending
    // query rejects in any case.
  });
  await client.connect();
  try {
    await client.query(`SELECT set_config('witan.scope', '*', false)`);
    const { rows } = await client.query<{ state: keyof ReservationCounts; count: string }>(
      'SELECT state, count(*) FROM reservation GROUP BY state',
    );
    const found = Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
    return { held: 0, settled: 0, released: 0, ...found };
  } finally {
    await client.end();
  }
};
