/**
 * Workspaces in whose books something does not add up, by what. All are 0 at every moment, whatever
 * is killed (ledger.md, Tokens): the tests and a metric look.
 */
export type BookFaults = {
  /** The account's balance is the sum of its entries. */
  balance: number;
  /** What the account holds is the sum of open reservations. */
  held: number;
  /**
   * Every settled reservation has its certificate, and the other way round; and what was settled
   * under another id was.
   */
  settled: number;
  /** Usage in the entries is what reservations were charged. */
  usage: number;
  /** Usage in the certificates is what was charged, and what was beyond balance and reservation. */
  certified: number;
};
