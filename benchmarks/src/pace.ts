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

/** How much the webhooks' rows send. */
export type WebhookPace = {
  /** Deliveries of one row, by the number of webhooks that share them. */
  deliveries: Readonly<Record<number, number>>;
  /** Before the first round, on each kind of connection. */
  warmUpDeliveries: number;
  /** Facts that go the whole way, as fast as they can. */
  pathFacts: number;
  /** One at a time. */
  idleFacts: number;
  /** At half the pace of which that is the most. */
  loadMs: number;
  relayFacts: number;
  /** Deliveries that wait while memory is read. */
  waiting: number;
  /** How long each state of the memory is watched, and deliveries are sent while others wait. */
  watchMs: number;
};

/** What is measured of the agents. */
export type AgentsPace = {
  chat: {
    /** That the provider takes by itself. */
    delaysMs: readonly number[];
    inFlight: readonly number[];
    /** Of turns whose provider answers at once, and of the others. */
    row: RowPace;
    delayedRow: RowPace;
    /** Each turn of a row has one of its own. */
    sessions: number;
  };
  /** `workspaces`: of 1,000 memories each. */
  recall: { workspaces: number; inFlight: readonly number[]; row: RowPace };
  /** How long each kind of answer is read for tags. */
  tagsMs: number;
};

/** What is measured of debates. */
export type DebatesPace = {
  /** Agents of a council. */
  agents: readonly number[];
  /** That the provider takes for each call. */
  delaysMs: readonly number[];
  /** Of a row, one after the other. */
  debates: number;
  /** Before the first row, of the largest council. */
  warmUpDebates: number;
  /** Debates that are held at once, and of how many agents. */
  crowd: { debates: number; agents: number };
};

/** What is measured of simulations. */
export type SimulationPace = {
  /** How long each load of the engine is played. */
  measureMs: number;
  advance: {
    /** Of a simulation that is advanced. */
    scenarios: readonly number[];
    /** Of the council of each scenario. */
    agents: number;
    /** That the provider takes for each call. */
    delaysMs: readonly number[];
    /** Of a row, one after the other. */
    turns: number;
  };
};

/** What is measured of the knowledge of workspaces. */
export type KnowledgePace = {
  /** Of all workspaces together. */
  chunks: number;
  /** Of a row. */
  searches: number;
  /** To take all of them in takes long: so much later than others this run is broken off. */
  moreMs: number;
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
  webhooks: WebhookPace;
  agents: AgentsPace;
  debates: DebatesPace;
  simulation: SimulationPace;
  knowledge: KnowledgePace;
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
  webhooks: {
    deliveries: { 1: 1_000, 10: 2_000, 100: 4_000 },
    warmUpDeliveries: 1_000,
    pathFacts: 2_000,
    idleFacts: 100,
    loadMs: 8_000,
    relayFacts: 10_000,
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
  webhooks: {
    deliveries: { 1: 60, 100: 600 },
    warmUpDeliveries: 100,
    pathFacts: 200,
    idleFacts: 10,
    loadMs: 1_000,
    relayFacts: 1_000,
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
