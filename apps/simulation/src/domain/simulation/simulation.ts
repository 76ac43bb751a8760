import type { JsonObject } from '@bufbuild/protobuf';
import type {
  Decision as Decided,
  EngineState,
  Proposal,
  TurnUnit,
  WorldEvent,
} from '../engine/engine.ts';
import type { GivenObject } from './given-object.ts';

/** A company that is played forward turn by turn. */
export type Simulation = {
  /** Prefix `sim_`. */
  id: string;
  name: string;
  description: string;
  turnUnit: TurnUnit;
  /** Unchanged, including unknown keys. */
  companyBase: GivenObject;
  /** The state of turn 0. */
  opening: EngineState;
  /** Sentences about figures that were assumed. */
  assumptions: readonly string[];
  seed: number;
  /** The advance that reaches it also finalizes; 0: none. */
  horizonTurns: number;
  modelVersion: string;
  status: 'active' | 'finalized';
  currentTurn: number;
  stateCount: number;
  createdAt: Date;
};

/** A simulation in a list. Large members are left out because a page has hundreds. */
export type ListedSimulation = Pick<
  Simulation,
  'id' | 'name' | 'turnUnit' | 'currentTurn' | 'stateCount' | 'createdAt'
>;

/** A branch of a simulation: the same company in another world. */
export type Scenario = {
  /** Prefix `scn_`. */
  id: string;
  simulationId: string;
  name: string;
  description: string;
  /** Unchanged. */
  parameters: GivenObject;
  /** Parameters that the model does not know. */
  ignoredParameters: readonly string[];
  isActive: boolean;
  forkedAtTurn: number;
  /** The state that it branched from. */
  opening: EngineState;
  createdAt: Date;
};

/** Levers that one agent proposes, with its reason. */
export type AgentProposal = Proposal & { agentName: string; rationale: string };

/** The result of a council, before anything is computed from it. */
export type Verdict = {
  proposals: readonly AgentProposal[];
  convergenceScore: number;
  absentAgents: readonly string[];
  usage: { promptTokens: number; completionTokens: number; totalTokens: number };
  /** Certificates of all calls, in order. */
  proofIds: readonly string[];
  /** The reason if there are no proposals. */
  failure?: string;
  /** True if the panel was local-only; absent: stored by a release that did not record it. */
  staysLocal?: boolean;
};

/** The result of a council with the levers that were applied. */
export type Decision = Verdict & Decided;

/** A scenario after one turn. */
export type State = {
  /** Prefix `sta_`. */
  id: string;
  scenarioId: string;
  /** From 1. */
  turn: number;
  engineState: EngineState;
  /** As shown, with unknown members of companyBase. */
  companyState: GivenObject;
  worldState: JsonObject;
  events: readonly WorldEvent[];
  decision: Decision;
  /** The scenario's parameters in that turn. */
  parameters: GivenObject;
  /** Lower-case hex SHA-256 of the canonical JSON of the state. */
  stateHash: string;
  decisionsHash: string;
  modelVersion: string;
  createdAt: Date;
};

/** Simulations of a workspace; those of other workspaces are not found. */
export type SimulationStore = {
  insert: (workspaceId: string, simulation: Simulation) => Promise<void>;
  /** Newest first; `after` is the last id of the page before. */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<ListedSimulation[]>;
  find: (workspaceId: string, id: string) => Promise<Simulation | undefined>;
  /**
   * Deletes the simulation and notes its panels for deletion. Returns false if it does not exist.
   */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

export type ScenarioStore = {
  /** Oldest first. */
  list: (workspaceId: string, simulationId: string) => Promise<Scenario[]>;
  /** Returns false if the simulation does not exist. */
  insert: (workspaceId: string, scenario: Scenario) => Promise<boolean>;
  /** Returns the updated scenario, or undefined if it does not exist. */
  update: (workspaceId: string, update: ScenarioUpdate) => Promise<Scenario | undefined>;
};

export type ScenarioUpdate = {
  simulationId: string;
  scenarioId: string;
  /** Absent members are unchanged. */
  changes: Partial<
    Pick<Scenario, 'name' | 'description' | 'parameters' | 'ignoredParameters' | 'isActive'>
  >;
};

export type StateStore = {
  /** Newest first. */
  list: (workspaceId: string, wanted: WantedStates) => Promise<State[]>;
  /** Returns the last state of each scenario that has one, by scenario id. */
  findLast: (workspaceId: string, simulationId: string) => Promise<Map<string, State>>;
  /** Yields all states of a scenario in order; only some are in memory at a time. */
  readCourse: (workspaceId: string, scenarioId: string) => AsyncIterable<State>;
};

export type WantedStates = {
  simulationId: string;
  scenarioId?: string;
  fromTurn?: number;
  limit: number;
};
