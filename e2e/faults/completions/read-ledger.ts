import { findDatabaseUrl } from '@witan/stack';
import { Client } from 'pg';

export type LedgerEntry = {
  kind: string;
  source: string;
  amount: number;
  certificateId: string | null;
};

/**
 * A reservation in the ledger. `actual` is the number of charged tokens; `unpaid` is the number of
 * used tokens that the balance could not pay.
 */
export type LedgerReservation = {
  id: string;
  state: string;
  actual: number | null;
  unpaid: number | null;
};

/** Sums of the balances, and all entries and reservations, over all workspaces. */
export type Ledger = {
  posted: number;
  held: number;
  entries: readonly LedgerEntry[];
  reservations: readonly LedgerReservation[];
};

type Row = Record<string, string | null>;

const ACCOUNT_SQL = 'SELECT sum(posted) AS posted, sum(held) AS held FROM account';
const ENTRIES_SQL = 'SELECT kind, source, amount, certificate_id AS "certificateId" FROM entry';
const RESERVATIONS_SQL = 'SELECT id, state, actual, unpaid FROM reservation';

/** Reads the ledger's tables in one snapshot, so that they are consistent with each other. */
export const readLedger = async (home: string): Promise<Ledger> => {
  const client = new Client({ connectionString: await findDatabaseUrl(home, 'ledger') });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`SELECT set_config('witan.scope', '*', false)`);
    const read = async (sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows;
    const [account] = await read(ACCOUNT_SQL);
    const entries = await read(ENTRIES_SQL);
    const reservations = await read(RESERVATIONS_SQL);
    return {
      posted: Number(account!.posted),
      held: Number(account!.held),
      entries: entries.map((row) => ({ ...row, amount: Number(row.amount) }) as LedgerEntry),
      reservations: reservations.map(
        (row) =>
          ({
            ...row,
            actual: toCount(row.actual),
            unpaid: toCount(row.unpaid),
          }) as LedgerReservation,
      ),
    };
  } finally {
    await client.end();
  }
};

const toCount = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);
