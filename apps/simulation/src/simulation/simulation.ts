import type { JsonObject } from '@bufbuild/protobuf';
import type {
  Decision as Decided,
  EngineState,
  Proposal,
  TurnUnit,
  WorldEvent,
} from '../engine/engine.ts';
import { parseExactly } from '@witan/dialects';

export type Simulation = {
  id: string;
  name: string;
  description: string;
  turnUnit: TurnUnit;
  /** The caller's object, unmodified and with its unknown members. */
  companyBase: ExactObject;
  opening: EngineState;
  assumptions: readonly string[];
  seed: number;
  /** Turn after which the simulation is finalized; 0 means no limit. */
  horizonTurns: number;
  modelVersion: string;
  status: 'active' | 'finalized';
  currentTurn: number;
  stateCount: number;
  createdAt: Date;
};

export type ListedSimulation = Pick<
  Simulation,
  'id' | 'name' | 'turnUnit' | 'currentTurn' | 'stateCount' | 'createdAt'
>;

export type Scenario = {
  id: string;
  simulationId: string;
  name: string;
  description: string;
  parameters: ExactObject;
  ignoredParameters: readonly string[];
  isActive: boolean;
  forkedAtTurn: number;
  opening: EngineState;
  createdAt: Date;
};

type AgentProposal = Proposal & { agentName: string; rationale: string };

export type Verdict = {
  proposals: readonly AgentProposal[];
  convergenceScore: number;
  absentAgents: readonly string[];
  usage: { promptTokens: number; completionTokens: number; totalTokens: number };
  proofIds: readonly string[];
  failure?: string;
  /**
   * True if the panel was local-only; absent in rows that were written by releases without this
   * member.
   */
  staysLocal?: boolean;
};

export type Decision = Verdict & Decided;

export type State = {
  id: string;
  scenarioId: string;
  turn: number;
  engineState: EngineState;
  companyState: ExactObject;
  worldState: JsonObject;
  events: readonly WorldEvent[];
  decision: Decision;
  parameters: ExactObject;
  stateHash: string;
  decisionsHash: string;
  modelVersion: string;
  createdAt: Date;
};

/** Stores simulations. Every method treats simulations of other workspaces as absent. */
export type SimulationStore = {
  insert: (workspaceId: string, simulation: Simulation) => Promise<void>;
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<ListedSimulation[]>;
  find: (workspaceId: string, id: string) => Promise<Simulation | undefined>;
  /**
   * Deletes a simulation and marks its panels for deletion. Returns false if the simulation does
   * not exist.
   */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

export type ScenarioStore = {
  list: (workspaceId: string, simulationId: string) => Promise<Scenario[]>;
  /** Returns false if the simulation does not exist. */
  insert: (workspaceId: string, scenario: Scenario) => Promise<boolean>;
  /** Returns undefined if the scenario does not exist. */
  update: (workspaceId: string, update: ScenarioUpdate) => Promise<Scenario | undefined>;
};

export type ScenarioUpdate = {
  simulationId: string;
  scenarioId: string;
  changes: Partial<
    Pick<Scenario, 'name' | 'description' | 'parameters' | 'ignoredParameters' | 'isActive'>
  >;
};

export type StateStore = {
  list: (workspaceId: string, query: StateQuery) => Promise<State[]>;
  /**
   * Returns the last state of each scenario by scenario id. Scenarios that have not been played are
   * missing.
   */
  findLast: (workspaceId: string, simulationId: string) => Promise<Map<string, State>>;
  /**
   * Yields the states of a scenario in the order of turns. Reads them in batches to limit memory.
   */
  readAll: (workspaceId: string, scenarioId: string) => AsyncIterable<State>;
};

export type StateQuery = {
  simulationId: string;
  scenarioId?: string;
  fromTurn?: number;
  limit: number;
};

/**
 * A caller's object whose numbers are returned exactly as written: those that a double cannot
 * represent are raw JSON (`{rawJSON}`), so that `JSON.stringify` writes all their digits. Use
 * `toPlain` to compute with it.
 */
export type ExactObject = JsonObject;

export const parseExactObject = (text: string): ExactObject => parseExactly(text) as ExactObject;

export const toPlain = (exactObject: ExactObject): JsonObject =>
  JSON.parse(JSON.stringify(exactObject)) as JsonObject;

export const pickMembers = (exactObject: ExactObject, names: readonly string[]): ExactObject =>
  Object.fromEntries(names.map((name) => [name, exactObject[name]!]));

export type LeasedSimulation = { workspaceId: string; simulationId: string; lease: string };

export type LeaseStore = {
  acquire: (
    workspaceId: string,
    simulationId: string,
    leaseMs: number,
  ) => Promise<LeasedSimulation | 'busy' | 'missing'>;
  renew: (leased: LeasedSimulation, leaseMs: number) => Promise<boolean>;
  release: (leased: LeasedSimulation) => Promise<void>;
};

export type PanelKey = { workspaceId: string; scenarioId: string; turn: number };

export type StoredPanel = {
  /**
   * Number of the panel that decides this turn, from 1. It increases after a panel that cannot be
   * used.
   */
  attempt: number;
  verdict: Verdict | null;
};

/**
 * Stores the verdicts of councils. A verdict is stored before a state is computed from it, so that
 * a repeated turn uses the same one.
 */
export type PanelStore = {
  find: (key: PanelKey) => Promise<StoredPanel | undefined>;
  recordAttempt: (key: PanelKey, attempt: number) => Promise<void>;
  /**
   * Stores a verdict unless one is stored already. Returns the stored one, or `verdict` if the
   * scenario was deleted.
   */
  saveVerdict: (key: PanelKey, verdict: Verdict) => Promise<Verdict>;
};

/** Stores turns. Methods reject with `LeaseLostError` if the lease is lost. */
export type TurnStore = {
  /** Writes the states of all scenarios, the turn and its event in one transaction. */
  commitTurn: (
    leased: LeasedSimulation,
    played: { turn: number; states: readonly State[] },
  ) => Promise<Simulation>;
};

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export type Report = {
  summary: string;
  keyDecisions: readonly string[];
  risks: readonly string[];
  recommendations: readonly string[];
  facts: JsonObject;
  proofIds: readonly string[];
  /** Why the report was written by rules; undefined if a model wrote it. */
  templateReason: TemplateReason | undefined;
};

/**
 * `no_provider`: no provider is configured; `unavailable`: the call of the model failed; `form` and
 * `numbers`: the model's last text had another form, or numbers that were not computed; `figures`:
 * it stated moves that were not made, or advised against the effects of the decisions.
 */
export type TemplateReason = 'no_provider' | 'unavailable' | 'form' | 'numbers' | 'figures';

export type ReportStore = {
  find: (workspaceId: string, simulationId: string) => Promise<Report | undefined>;
  /**
   * Stores the report, marks the simulation as finalized and emits the event, in one transaction.
   * Rejects with `LeaseLostError` if the lease is lost.
   */
  finalize: (leased: LeasedSimulation, report: Report) => Promise<void>;
};
