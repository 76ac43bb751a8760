/**
 * The number of workspaces that violate each invariant of the ledger. All are 0 at every moment,
 * whichever process is killed; tests and a metric check it.
 */
export type AuditViolations = {
  /** The account's balance equals the sum of its entries. */
  balance: number;
  /** The account's held tokens equal the sum of its open reservations. */
  held: number;
  /**
   * Settled reservations and certificates correspond one to one, and each `settled_as` names a
   * settled reservation.
   */
  settled: number;
  /** Usage in the entries equals what reservations were charged. */
  usage: number;
  /** Usage in the certificates equals what was charged plus what stayed unpaid. */
  certified: number;
};
