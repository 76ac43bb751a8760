export type RowPreset = {
  /** Duration of unmeasured load before each row. */
  warmUpMs: number;
  measureMs: number;
  /** Maximum number of calls per row. */
  callsMax: number;
};

export type GatewayPreset = {
  /** Number of calls that warm a system up with a main load, if they take less than `warmUpMs`. */
  warmUpCalls: number;
  warmUpMs: number;
  /** The same for other loads, which run much of the same code, and for the floor by piece. */
  shortWarmUpCalls: number;
  /** Duration of the first seconds after a start that are measured. */
  coldMs: number;
  /** Duration of a profile, and number of calls whose objects are counted. */
  profileMs: number;
  countedCalls: number;
  rounds: number;
  row: RowPreset;
};

export type WebhookPreset = {
  /** Number of deliveries per row, by the number of webhooks among which they are divided. */
  deliveries: Readonly<Record<number, number>>;
  /** Number of deliveries before the first benchmark round, for each kind of connection. */
  warmUpDeliveries: number;
  /** Number of events that are measured from outbox to POST at full rate. */
  pathEvents: number;
  /**
   * Number of events that are committed with pauses, to measure their latency on an idle system.
   */
  idleEvents: number;
  /** Duration of the latency measurement at half of the full rate. */
  loadMs: number;
  relayEvents: number;
  /** Number of pending deliveries while memory is measured. */
  waiting: number;
  /** Time for which memory is sampled in each state. */
  sampleMs: number;
};

export type AgentsPreset = {
  chat: {
    /** Response delays of the fake provider that are measured. */
    delaysMs: readonly number[];
    inFlight: readonly number[];
    /** Limits of rows without a provider delay. */
    row: RowPreset;
    delayedRow: RowPreset;
    /**
     * Number of chat sessions. It limits the turns per run, because each turn uses another session.
     */
    sessions: number;
  };
  /** `workspaces`: number of workspaces, each with 1,000 memories. */
  recall: { workspaces: number; inFlight: readonly number[]; row: RowPreset };
  /** Time for which each row of the tag parser benchmark is measured, after its warm-up. */
  tagsMs: number;
};

export type DebatesPreset = {
  /** Sizes of the council that are measured. */
  agents: readonly number[];
  /** Response delays of the fake provider that are measured. */
  delaysMs: readonly number[];
  /** Number of debates per row, which run one after the other. */
  debates: number;
  /** Number of warm-up debates, with the largest council. */
  warmUpDebates: number;
  /** Row with concurrent debates: their number, and the number of agents in each. */
  crowd: { debates: number; agents: number };
};

export type SimulationPreset = {
  /** Measured duration of each row of the engine. */
  measureMs: number;
  advance: {
    /** Numbers of scenarios per simulation that are measured. */
    scenarios: readonly number[];
    /** Number of agents in each panel. */
    agents: number;
    /** Response delays of the fake provider that are measured. */
    delaysMs: readonly number[];
    /** Number of simulation turns per row, which run one after the other. */
    turns: number;
  };
};

export type VectorsPreset = {
  /** Numbers of chunks, ascending; the ingestion continues from one to the next. */
  chunks: readonly number[];
  /** Number of searches per distribution and benchmark round. */
  queries: number;
};

export type KnowledgePreset = {
  /** Number of chunks in all workspaces together. */
  chunks: number;
  /** Number of searches per row. */
  searches: number;
  /** Added to `runMs`, because ingestion is slow. */
  moreMs: number;
};

/** Preset with the durations and repetitions of all benchmarks. */
export type Preset = {
  name: 'full' | 'quick';
  /** Duration of the warm-up of each system but the gateway's, in which code is compiled. */
  firstWarmUpMs: number;
  /**
   * Number of benchmark rounds. The systems alternate in each round, so that a disturbance affects
   * all systems alike.
   */
  rounds: number;
  gateway: GatewayPreset;
  ledger: { callers: readonly number[]; row: RowPreset };
  webhooks: WebhookPreset;
  agents: AgentsPreset;
  debates: DebatesPreset;
  simulation: SimulationPreset;
  knowledge: KnowledgePreset;
  vectors: VectorsPreset;
  /** Number of certificates per row. */
  verification: { certificates: number };
  /** Number of certificates that the list of the console shows. */
  console: { certificates: number };
  /** Time limit of all benchmarks of a run together. */
  runMs: number;
};

const MINUTE_MS = 60_000;

/** Preset for published results. */
export const FULL: Preset = {
  name: 'full',
  firstWarmUpMs: 1_500,
  rounds: 3,
  gateway: {
    warmUpCalls: 20_000,
    warmUpMs: 30_000,
    shortWarmUpCalls: 5_000,
    coldMs: 4_000,
    profileMs: 4_000,
    countedCalls: 2_000,
    rounds: 5,
    row: { warmUpMs: 250, measureMs: 1_250, callsMax: 20_000 },
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
  vectors: { chunks: [10_000], queries: 30 },
  verification: { certificates: 10_000 },
  console: { certificates: 10_000 },
  runMs: 40 * MINUTE_MS,
};

/** Preset for a functional check that takes a minute or two per benchmark. */
export const QUICK: Preset = {
  name: 'quick',
  firstWarmUpMs: 200,
  rounds: 1,
  gateway: {
    warmUpCalls: 200,
    warmUpMs: 500,
    shortWarmUpCalls: 100,
    coldMs: 500,
    profileMs: 500,
    countedCalls: 100,
    rounds: 1,
    row: { warmUpMs: 50, measureMs: 250, callsMax: 5_000 },
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
  vectors: { chunks: [2_000], queries: 10 },
  verification: { certificates: 1_000 },
  console: { certificates: 500 },
  runMs: 5 * MINUTE_MS,
};
