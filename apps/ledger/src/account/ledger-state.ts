/** Totals of the ledger over all workspaces. */
export type LedgerState = {
  chains: number;
  heightMax: number;
  certificates: number;
  /** Number of open reservations; `overdue` is the number of those that have expired. */
  held: number;
  overdue: number;
};
