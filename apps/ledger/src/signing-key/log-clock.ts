type Log = Readonly<Record<'info' | 'error', (fields: object, message: string) => void>>;

/** Returns the function that logs when the clocks begin to differ, and when they agree again. */
export const createClockLog =
  (log: Log) =>
  (differenceMs: number | undefined): void => {
    if (differenceMs === undefined)
      log.info(
        { event: 'ledger_clock_agrees' },
        "The clock agrees with the database's again; certificates are signed",
      );
    else
      log.error(
        { event: 'ledger_clock_differs', differenceMs: Math.round(differenceMs) },
        "The clock differs from the database's by more than a minute; nothing is signed",
      );
  };

const AHEAD_LOG_EVERY_MS = 60_000;

/**
 * Returns the function that logs chains that are dated ahead, at most one a minute. `clock` returns
 * monotonic milliseconds.
 */
export const createAheadLog = (log: Log, clock: () => number) => {
  let loggedAt = -Infinity;
  return (chain: { workspaceId: string; aheadMs: number }): void => {
    if (clock() - loggedAt < AHEAD_LOG_EVERY_MS) return;
    loggedAt = clock();
    log.error(
      { event: 'ledger_chain_ahead', ...chain },
      'A chain is dated ahead; its certificates have the time of its last one until then',
    );
  };
};
