/** How long and how often every row is measured. */
export type Pace = {
  name: 'full' | 'quick';
  /** Once for each system and kind of call, so that code is compiled. */
  firstWarmUpMs: number;
  /** Before every row. */
  warmUpMs: number;
  measureMs: number;
  /** Rows are measured in turns, so that what disturbs the machine disturbs all systems alike. */
  rounds: number;
  gatewayInFlight: readonly number[];
  ledgerCallers: readonly number[];
  /** Calls in one row, at most. */
  callsMax: number;
  /** The whole run is broken off after that. */
  runMs: number;
};

/** What results are published from. */
export const FULL: Pace = {
  name: 'full',
  firstWarmUpMs: 3_000,
  warmUpMs: 500,
  measureMs: 3_000,
  rounds: 3,
  gatewayInFlight: [1, 16, 64],
  ledgerCallers: [1, 8, 200],
  callsMax: 20_000,
  runMs: 8 * 60_000,
};

/** Shows within a minute that everything works; its figures say little. */
export const QUICK: Pace = {
  name: 'quick',
  firstWarmUpMs: 800,
  warmUpMs: 200,
  measureMs: 900,
  rounds: 1,
  gatewayInFlight: [1, 64],
  ledgerCallers: [1, 200],
  callsMax: 5_000,
  runMs: 60_000,
};
