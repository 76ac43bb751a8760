import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';

/** Returns the number of reservations in `state`, which is `held`, `settled` or `released`. */
export const countReservations = async (
  { databaseUrl }: Pick<TestSystem, 'databaseUrl'>,
  state: string,
): Promise<number> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const sql = 'SELECT count(*)::int AS count FROM ledger.reservation WHERE state = $1';
    const { rows } = await client.query<{ count: number }>(sql, [state]);
    return rows[0]!.count;
  } finally {
    await client.end();
  }
};
