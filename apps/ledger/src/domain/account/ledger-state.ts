/** Totals over all workspaces. */
export type LedgerState = {
  chains: number;
  heightMax: number;
  certificates: number;
  /** Open reservations; `overdue` counts those that have expired. */
  held: number;
  overdue: number;
};
