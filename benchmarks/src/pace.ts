export type RowPace = {
  /** Duration of unmeasured load before the row. */
  warmUpMs: number;
  measureMs: number;
  /** Maximum number of calls per row. */
  callsMax: number;
  /**
   * Time over which callers start evenly, because callers with long calls would otherwise stay in
   * step. The same time is left out of the rate.
   */
  spreadMs?: number;
};

export type WebhookPace = {
  /** Number of deliveries per row, by the number of webhooks that share them. */
  deliveries: Readonly<Record<number, number>>;
  /** Number of deliveries before the first round, for each kind of connection. */
  warmUpDeliveries: number;
  /** Number of events sent the whole way at full rate. */
  pathEvents: number;
  /** Number of events sent one at a time. */
  idleEvents: number;
  /** Duration at half of the full rate. */
  loadMs: number;
  relayEvents: number;
  /** Number of deliveries that wait while memory is measured. */
  waiting: number;
  /** Time for which memory is sampled in each state, also while waiting deliveries are sent. */
  sampleMs: number;
};

export type AgentsPace = {
  chat: {
    /** The provider's delays for each call. */
    delaysMs: readonly number[];
    inFlight: readonly number[];
    /** Limits of rows whose provider answers immediately. */
    row: RowPace;
    delayedRow: RowPace;
    /** Number of sessions, one for each turn of a row. */
    sessions: number;
  };
  /** `workspaces`: their number, with 1,000 memories each. */
  recall: { workspaces: number; inFlight: readonly number[]; row: RowPace };
  /** Parsing time per kind of answer. */
  tagsMs: number;
};

export type DebatesPace = {
  /** Numbers of agents in a council. */
  agents: readonly number[];
  /** The provider's delays for each call. */
  delaysMs: readonly number[];
  /** Number of sequential debates per row. */
  debates: number;
  /** Number of debates of the largest council before the first row. */
  warmUpDebates: number;
  /** Number of concurrent debates, and of agents in each. */
  crowd: { debates: number; agents: number };
};

export type SimulationPace = {
  /** Duration of each engine load. */
  measureMs: number;
  advance: {
    /** Numbers of scenarios of an advanced simulation. */
    scenarios: readonly number[];
    /** Number of agents in each panel. */
    agents: number;
    /** The provider's delays for each call. */
    delaysMs: readonly number[];
    /** Number of sequential turns per row. */
    turns: number;
  };
};

export type KnowledgePace = {
  /** Number of chunks in all workspaces together. */
  chunks: number;
  /** Number of searches per row. */
  searches: number;
  /** Added to the time limit of the run, because ingestion is slow. */
  moreMs: number;
};

/** Durations and repetitions of all rows. */
export type Pace = {
  name: 'full' | 'quick';
  /** Duration of the first load of each system and kind of call, in which code is compiled. */
  firstWarmUpMs: number;
  /** Number of rounds; systems alternate within each, so that disturbances affect all alike. */
  rounds: number;
  gateway: {
    /**
     * Concurrencies of small loads, of loads measured once (and metered systems), and of paced
     * streams.
     */
    inFlight: Readonly<Record<'each' | 'busy' | 'paced', readonly number[]>>;
    row: RowPace;
    pacedRow: RowPace;
  };
  ledger: { callers: readonly number[]; row: RowPace };
  webhooks: WebhookPace;
  agents: AgentsPace;
  debates: DebatesPace;
  simulation: SimulationPace;
  knowledge: KnowledgePace;
  /** Time limit of the whole run. */
  runMs: number;
};

const MINUTE_MS = 60_000;
/** Exceeds the duration of a paced stream. */
const SPREAD_MS = 500;

/** The pace of published results. */
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
  webhooks: {
    deliveries: { 1: 1_000, 10: 2_000, 100: 4_000 },
    warmUpDeliveries: 1_000,
    pathEvents: 2_000,
    idleEvents: 100,
    loadMs: 8_000,
    relayEvents: 10_000,
    waiting: 100_000,
    sampleMs: 8_000,
  },
  agents: {
    chat: {
      delaysMs: [0, 100],
      inFlight: [1, 8],
      row: { warmUpMs: 250, measureMs: 2_000, callsMax: 20_000 },
      delayedRow: { warmUpMs: 250, measureMs: 6_000, callsMax: 20_000 },
      sessions: 2_000,
    },
    recall: {
      workspaces: 200,
      inFlight: [1, 8],
      row: { warmUpMs: 500, measureMs: 2_500, callsMax: 20_000 },
    },
    tagsMs: 300,
  },
  debates: {
    agents: [2, 5, 8, 12],
    delaysMs: [0, 100],
    debates: 25,
    warmUpDebates: 25,
    crowd: { debates: 20, agents: 5 },
  },
  simulation: {
    measureMs: 2_000,
    advance: { scenarios: [1, 4, 16], agents: 5, delaysMs: [0, 100, 1_000], turns: 10 },
  },
  knowledge: { chunks: 1_000_000, searches: 200, moreMs: 90 * MINUTE_MS },
  runMs: 40 * MINUTE_MS,
};

/** The pace of a functional check within a minute. */
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
  webhooks: {
    deliveries: { 1: 60, 100: 600 },
    warmUpDeliveries: 100,
    pathEvents: 200,
    idleEvents: 10,
    loadMs: 1_000,
    relayEvents: 1_000,
    waiting: 2_000,
    sampleMs: 1_000,
  },
  agents: {
    chat: {
      delaysMs: [0, 100],
      inFlight: [1, 8],
      row: { warmUpMs: 100, measureMs: 600, callsMax: 5_000 },
      delayedRow: { warmUpMs: 150, measureMs: 1_200, callsMax: 5_000 },
      sessions: 500,
    },
    recall: {
      workspaces: 20,
      inFlight: [1, 8],
      row: { warmUpMs: 300, measureMs: 600, callsMax: 5_000 },
    },
    tagsMs: 50,
  },
  debates: {
    agents: [2, 5, 8, 12],
    delaysMs: [0, 100],
    debates: 4,
    warmUpDebates: 4,
    crowd: { debates: 20, agents: 5 },
  },
  simulation: {
    measureMs: 200,
    advance: { scenarios: [1, 4, 16], agents: 5, delaysMs: [0, 1_000], turns: 2 },
  },
  knowledge: { chunks: 4_000, searches: 20, moreMs: 0 },
  runMs: 5 * MINUTE_MS,
};
