import { findDatabaseUrl } from '@witan/stack';
import { Client } from 'pg';

/** Reservations of a ledger by how they ended; `held` ones have not. */
export type ReservationCounts = { held: number; settled: number; released: number };

/** Reads them from the ledger's own books. Rejects while the database is down. */
export const countReservations = async (home: string): Promise<ReservationCounts> => {
  const client = new Client({ connectionString: await findDatabaseUrl(home, 'ledger') });
  client.on('error', () => {
    // The database may be killed while we ask; the query below says so.
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
