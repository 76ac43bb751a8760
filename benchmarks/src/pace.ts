/** How one row is measured. */
export type RowPace = {
  /** Load before the row that nobody measures. */
  warmUpMs: number;
  measureMs: number;
  /** Calls in one row, at most. */
  callsMax: number;
  /**
   * Callers begin evenly over that time, and again as long is left out of the rate: for calls that
   * take so long that callers who began together would stay together.
   */
  spreadMs?: number;
};

/** How long and how often every row is measured. */
export type Pace = {
  name: 'full' | 'quick';
  /** Once for each system and kind of call, so that code is compiled. */
  firstWarmUpMs: number;
  /** Rows are measured in turns, so that what disturbs the machine disturbs all systems alike. */
  rounds: number;
  gateway: {
    /**
     * Calls in flight: of the small loads, of those measured once (and of metered systems), and of
     * paced streams.
     */
    inFlight: Readonly<Record<'each' | 'busy' | 'paced', readonly number[]>>;
    row: RowPace;
    pacedRow: RowPace;
  };
  ledger: { callers: readonly number[]; row: RowPace };
  /** The whole run is broken off after that. */
  runMs: number;
};

const MINUTE_MS = 60_000;
/** Above the length of a paced stream. */
const SPREAD_MS = 500;

/** What results are published from. */
export const FULL: Pace = {
  name: 'full',
  firstWarmUpMs: 1_500,
  rounds: 3,
  gateway: {
    inFlight: { each: [1, 16, 64, 256], busy: [64], paced: [256] },
    row: { warmUpMs: 250, measureMs: 1_250, callsMax: 20_000 },
    pacedRow: { warmUpMs: 0, measureMs: 2_000, callsMax: 20_000, spreadMs: SPREAD_MS },
  },
  ledger: {
    callers: [1, 64, 200],
    row: { warmUpMs: 500, measureMs: 2_500, callsMax: 20_000 },
  },
  runMs: 16 * MINUTE_MS,
};

/** Shows within a minute that everything works; its figures say little. */
export const QUICK: Pace = {
  name: 'quick',
  firstWarmUpMs: 200,
  rounds: 1,
  gateway: {
    inFlight: { each: [1, 64], busy: [64], paced: [256] },
    row: { warmUpMs: 50, measureMs: 250, callsMax: 5_000 },
    pacedRow: { warmUpMs: 0, measureMs: 500, callsMax: 5_000, spreadMs: SPREAD_MS },
  },
  ledger: {
    callers: [1, 200],
    row: { warmUpMs: 200, measureMs: 600, callsMax: 5_000 },
  },
  runMs: 3 * MINUTE_MS,
};
