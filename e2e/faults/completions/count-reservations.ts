import { findDatabaseUrl } from '@witan/stack';
import { Client } from 'pg';

/** Number of the ledger's reservations by state; `held` ones are open. */
export type ReservationCounts = { held: number; settled: number; released: number };

/** Counts the reservations in the ledger's tables. Rejects while the database is down. */
export const countReservations = async (home: string): Promise<ReservationCounts> => {
  const client = new Client({ connectionString: await findDatabaseUrl(home, 'ledger') });
  client.on('error', () => {
    // Prevents a crash if the database is killed; the pending query rejects then.
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
