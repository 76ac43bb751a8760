import type { JsonObject } from '@bufbuild/protobuf';
import type {
  Decision as Decided,
  EngineState,
  Proposal,
  TurnUnit,
  WorldEvent,
} from '../engine/engine.ts';
import type { ExactObject } from './exact-object.ts';

export type Simulation = {
  id: string;
  name: string;
  description: string;
  turnUnit: TurnUnit;
  /** The caller's object, unmodified, including unknown keys. */
  companyBase: ExactObject;
  opening: EngineState;
  assumptions: readonly string[];
  seed: number;
  /** The simulation is finalized after this turn; 0 is unlimited. */
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

export type AgentProposal = Proposal & { agentName: string; rationale: string };

export type Verdict = {
  proposals: readonly AgentProposal[];
  convergenceScore: number;
  absentAgents: readonly string[];
  usage: { promptTokens: number; completionTokens: number; totalTokens: number };
  proofIds: readonly string[];
  failure?: string;
  /** True if the panel was local-only; absent in rows of releases that did not record it. */
  staysLocal?: boolean;
};

export type Decision = Verdict & Decided;

/** State of a scenario after one turn. */
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

/** Simulations of other workspaces are treated as absent. */
export type SimulationStore = {
  insert: (workspaceId: string, simulation: Simulation) => Promise<void>;
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<ListedSimulation[]>;
  find: (workspaceId: string, id: string) => Promise<Simulation | undefined>;
  /**
   * Deletes a simulation and records its panels for deletion. Returns false if the simulation does
   * not exist.
   */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

export type ScenarioStore = {
  list: (workspaceId: string, simulationId: string) => Promise<Scenario[]>;
  insert: (workspaceId: string, scenario: Scenario) => Promise<boolean>;
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
  list: (workspaceId: string, wanted: StateQuery) => Promise<State[]>;
  /** Returns the last state of each scenario that has one, by scenario id. */
  findLast: (workspaceId: string, simulationId: string) => Promise<Map<string, State>>;
  /** Yields the states in the order of turns, with only some in memory at a time. */
  readAll: (workspaceId: string, scenarioId: string) => AsyncIterable<State>;
};

export type StateQuery = {
  simulationId: string;
  scenarioId?: string;
  fromTurn?: number;
  limit: number;
};
