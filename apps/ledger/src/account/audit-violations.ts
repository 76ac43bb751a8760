/**
 * Number of workspaces that violate each invariant of the ledger. All must be 0 at any time, even
 * after a crash.
 */
export type AuditViolations = {
  balance: number;
  held: number;
  /**
   * Workspaces in which the number of settled reservations differs from that of certificates, or a
   * `settled_as` names no settled reservation.
   */
  settled: number;
  usage: number;
  /** Workspaces in which the usage in certificates differs from the charged and unpaid tokens. */
  certified: number;
};
