import { readSnapshot } from '../query.ts';
import { until } from '../until.ts';

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
const COUNTS_SQL = 'SELECT state, count(*) FROM reservation GROUP BY state';
const RESERVATIONS_SQL = 'SELECT id, state, actual, unpaid FROM reservation';

/** Reads the ledger's tables in one snapshot, so that they are consistent with each other. */
export const readLedger = (home: string): Promise<Ledger> =>
  readSnapshot({ home, service: 'ledger' }, async (rowsOf) => {
    const [account] = await rowsOf<Row>(ACCOUNT_SQL);
    const entries = await rowsOf<Row>(ENTRIES_SQL);
    const reservations = await rowsOf<Row>(RESERVATIONS_SQL);
    return {
      posted: Number(account!['posted']),
      held: Number(account!['held']),
      entries: entries.map((row) => ({ ...row, amount: Number(row['amount']) }) as LedgerEntry),
      reservations: reservations.map((row) => {
        const counts = { actual: toCount(row['actual']), unpaid: toCount(row['unpaid']) };
        return { ...row, ...counts } as LedgerReservation;
      }),
    };
  });

const toCount = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);

/** Number of reservations in the ledger by state; `held` reservations are still open. */
export type ReservationCounts = { held: number; settled: number; released: number };

/** Rejects while the database is down. */
export const countReservations = (home: string): Promise<ReservationCounts> =>
  readSnapshot({ home, service: 'ledger' }, async (rowsOf) => {
    const rows = await rowsOf<{ state: string; count: string }>(COUNTS_SQL);
    const found = Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
    return { held: 0, settled: 0, released: 0, ...found };
  });

/**
 * Waits until the ledger has no open reservation. Returns the time waited in milliseconds, or
 * undefined if some reservations are still open after `limitMs`.
 */
export const untilNoOpenReservation = async (
  home: string,
  limitMs: number,
): Promise<number | undefined> => {
  const startedAt = Date.now();
  return until(limitMs, async () =>
    (await countReservations(home)).held === 0 ? Date.now() - startedAt : undefined,
  );
};
