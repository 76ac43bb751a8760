/** Difference between two clocks up to which certificates are signed. */
export const CLOCK_DIFFERENCE_MAX_MS = 60_000;

/** Time that certificates are issued at, in milliseconds since the epoch. */
export type SigningClock = {
  /**
   * Resolves with the time of this process. Rejects with ClockDifferenceError if it differs from
   * the database's by more than a minute.
   */
  now: () => Promise<number>;
  /** Compares the clocks again. Rejects as `now` does, or if the database cannot be asked. */
  check: () => Promise<void>;
};

/** Thrown instead of a time that would date certificates ahead or back. */
export class ClockDifferenceError extends Error {
  readonly differenceMs: number;

  constructor(differenceMs: number) {
    const seconds = Math.round(differenceMs / 1_000);
    super(`The clocks of the ledger and its database differ by ${seconds} s; nothing is signed.`);
    this.name = 'ClockDifferenceError';
    this.differenceMs = differenceMs;
  }
}

type Clocks = {
  /** Time of this process in milliseconds since the epoch; it may be set. */
  wall: () => number;
  /** Milliseconds since any moment; they cannot be set. */
  monotonic: () => number;
  /** Resolves with the database's time in milliseconds since the epoch. */
  readDatabase: () => Promise<number>;
};

/**
 * Opens the clock of certificates. The time of the database is read now and by each `check`;
 * between those it advances with the monotonic clock, so that a process whose clock is set notices
 * it at its next certificate, without a query. A difference is confirmed by a query, because a
 * monotonic clock stands still while its machine sleeps. `onChange` is called when the clocks begin
 * to differ, with the difference, and when they agree again, with undefined.
 */
export const openSigningClock = async (
  { wall, monotonic, readDatabase }: Clocks,
  onChange: (differenceMs: number | undefined) => void,
): Promise<SigningClock> => {
  let aheadOfMonotonic = 0;
  let differs = false;
  const measure = async (): Promise<void> => {
    const started = monotonic();
    const databaseMs = await readDatabase();
    // The database read its clock at some moment between; the middle is at most half of it wrong.
    aheadOfMonotonic = databaseMs - (started + monotonic()) / 2;
  };
  const differenceAt = (wallMs: number): number => wallMs - monotonic() - aheadOfMonotonic;
  const verify = (): number => {
    const wallMs = wall();
    const differenceMs = differenceAt(wallMs);
    const differsNow = Math.abs(differenceMs) > CLOCK_DIFFERENCE_MAX_MS;
    if (differsNow !== differs) onChange(differsNow ? differenceMs : undefined);
    differs = differsNow;
    if (differsNow) throw new ClockDifferenceError(differenceMs);
    return wallMs;
  };
  await measure();
  return {
    now: async () => {
      if (Math.abs(differenceAt(wall())) > CLOCK_DIFFERENCE_MAX_MS) await measure();
      return verify();
    },
    check: async () => {
      await measure();
      verify();
    },
  };
};
