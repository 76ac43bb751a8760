/**
 * Number of workspaces that violate each invariant of the ledger. All must be 0 at any time, even
 * after a crash.
 */
export type AuditViolations = {
  balance: number;
  held: number;
  /**
   * Settled reservations and certificates do not correspond one to one, or a `settled_as` names no
   * settled reservation.
   */
  settled: number;
  usage: number;
  /** Usage in the certificates differs from the sum of charged and unpaid tokens. */
  certified: number;
};
