/**
 * Number of workspaces that violate each invariant of the ledger. All must be 0 at any time, even
 * after a crash.
 */
export type AuditViolations = {
  balance: number;
  held: number;
  /**
   * Settled reservations and certificates correspond one to one, and each `settled_as` names a
   * settled reservation.
   */
  settled: number;
  usage: number;
  /** Usage in the certificates equals what was charged plus what stayed unpaid. */
  certified: number;
};
