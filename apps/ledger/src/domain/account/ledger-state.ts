/** Totals over all workspaces. */
export type LedgerState = {
  /** Workspaces with a chain; certificates in the longest chain and in all chains. */
  chains: number;
  heightMax: number;
  certificates: number;
  /** Open reservations, and those of them that have expired. */
  held: number;
  overdue: number;
};
