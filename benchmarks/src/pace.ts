export type RowPace = {
  /** Unmeasured load before the row. */
  warmUpMs: number;
  measureMs: number;
  /** Maximum of calls per row. */
  callsMax: number;
  /**
   * Callers start evenly over this time, and as much is left out of the rate, because callers with
   * long calls would otherwise stay in step.
   */
  spreadMs?: number;
};

export type WebhookPace = {
  /** Deliveries per row, by the number of webhooks that share them. */
  deliveries: Readonly<Record<number, number>>;
  /** Before the first round, for each kind of connection. */
  warmUpDeliveries: number;
  /** Events sent the whole way at full rate. */
  pathEvents: number;
  /** Events sent one at a time. */
  idleEvents: number;
  /** Duration at half of the full rate. */
  loadMs: number;
  relayEvents: number;
  /** Waiting deliveries while memory is measured. */
  waiting: number;
  /** Duration of each memory state, and of sending beside waiting deliveries. */
  watchMs: number;
};

export type AgentsPace = {
  chat: {
    /** The provider's delays. */
    delaysMs: readonly number[];
    inFlight: readonly number[];
    /** For turns whose provider answers at once, and for the others. */
    row: RowPace;
    delayedRow: RowPace;
    /** One per turn of a row. */
    sessions: number;
  };
  /** `workspaces`: of 1,000 memories each. */
  recall: { workspaces: number; inFlight: readonly number[]; row: RowPace };
  /** Parsing time per kind of answer. */
  tagsMs: number;
};

export type DebatesPace = {
  /** Agents of a council. */
  agents: readonly number[];
  /** The provider's delays per call. */
  delaysMs: readonly number[];
  /** Per row, sequentially. */
  debates: number;
  /** Of the largest council, before the first row. */
  warmUpDebates: number;
  /** Concurrent debates, and agents of each. */
  crowd: { debates: number; agents: number };
};

export type SimulationPace = {
  /** Duration of each engine load. */
  measureMs: number;
  advance: {
    /** Scenarios of an advanced simulation. */
    scenarios: readonly number[];
    /** Agents of each panel. */
    agents: number;
    /** The provider's delays per call. */
    delaysMs: readonly number[];
    /** Per row, sequentially. */
    turns: number;
  };
};

export type KnowledgePace = {
  /** Total of all workspaces. */
  chunks: number;
  /** Per row. */
  searches: number;
  /** Additional time limit, because ingestion is slow. */
  moreMs: number;
};

/** Durations and repetitions of all rows. */
export type Pace = {
  name: 'full' | 'quick';
  /** Once per system and kind of call, so that code is compiled. */
  firstWarmUpMs: number;
  /** Systems alternate within each round, so that disturbances affect all alike. */
  rounds: number;
  gateway: {
    /**
     * Concurrency: of small loads, of loads measured once (and metered systems), of paced streams.
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

/** For published results. */
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
    watchMs: 8_000,
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

/** For a functional check within a minute. */
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
    watchMs: 1_000,
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
