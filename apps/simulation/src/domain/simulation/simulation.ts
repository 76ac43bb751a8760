import type { JsonObject } from '@bufbuild/protobuf';
import type {
  Decision as Decided,
  EngineState,
  Proposal,
  TurnUnit,
  WorldEvent,
} from '../engine/engine.ts';
import type { GivenObject } from './given-object.ts';

/** A company that is played forward, turn by turn. */
export type Simulation = {
  /** Prefix `sim_`. */
  id: string;
  name: string;
  description: string;
  turnUnit: TurnUnit;
  /** As the caller gave it, unknown keys included. */
  companyBase: GivenObject;
  /** Turn 0. */
  opening: EngineState;
  /** What was not given and taken for granted, in words. */
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

/** What a list shows: a page of hundreds has no room for all that was said of companies. */
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
  /** As the caller gave it. */
  parameters: GivenObject;
  /** Names in it that the model does not know. */
  ignoredParameters: readonly string[];
  isActive: boolean;
  /** The turn whose state it began from. */
  forkedAtTurn: number;
  /** The state that it began from. */
  opening: EngineState;
  createdAt: Date;
};

/** What one agent wants, in numbers and in words. */
export type AgentProposal = Proposal & { agentName: string; rationale: string };

/** What the council said, before anything was computed from it. */
export type Verdict = {
  proposals: readonly AgentProposal[];
  convergenceScore: number;
  /** Names. */
  absentAgents: readonly string[];
  usage: { promptTokens: number; completionTokens: number; totalTokens: number };
  /** Of every call, in order. */
  proofIds: readonly string[];
  /** Why there are no proposals at all. */
  failure?: string;
  /** The calls of the panel stayed on the machine; absent: kept by a release that did not ask. */
  staysLocal?: boolean;
};

/** What was done for a turn, and why. */
export type Decision = Verdict & Decided;

/** A scenario after one turn. */
export type State = {
  /** Prefix `sta_`. */
  id: string;
  scenarioId: string;
  /** From 1 on. */
  turn: number;
  engineState: EngineState;
  /** What is shown of it, and what the caller said of the company that the model does not know. */
  companyState: GivenObject;
  worldState: JsonObject;
  events: readonly WorldEvent[];
  decision: Decision;
  /** What the scenario's were when the turn was made. */
  parameters: GivenObject;
  /** Lower-case hex SHA-256 of the canonical JSON of the state. */
  stateHash: string;
  decisionsHash: string;
  modelVersion: string;
  createdAt: Date;
};

/** What a workspace keeps of its simulations. Those of other workspaces are not there. */
export type SimulationStore = {
  insert: (workspaceId: string, simulation: Simulation) => Promise<void>;
  /** Newest first; `after` is the id of the last one of the page before. */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<ListedSimulation[]>;
  find: (workspaceId: string, id: string) => Promise<Simulation | undefined>;
  /** Nothing of it remains here; false: there is none. Its panels are to be purged. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

export type ScenarioStore = {
  /** Oldest first. */
  list: (workspaceId: string, simulationId: string) => Promise<Scenario[]>;
  /** False: the simulation is not there. */
  insert: (workspaceId: string, scenario: Scenario) => Promise<boolean>;
  /** As it is then; undefined: it is not there. */
  update: (workspaceId: string, update: ScenarioUpdate) => Promise<Scenario | undefined>;
};

export type ScenarioUpdate = {
  simulationId: string;
  scenarioId: string;
  /** What is absent stays. */
  changes: Partial<
    Pick<Scenario, 'name' | 'description' | 'parameters' | 'ignoredParameters' | 'isActive'>
  >;
};

export type StateStore = {
  /** Newest first. */
  list: (workspaceId: string, wanted: WantedStates) => Promise<State[]>;
  /** The last of each scenario that has one, by the scenario's id. */
  findLast: (workspaceId: string, simulationId: string) => Promise<Map<string, State>>;
  /** All of a scenario, in order, of which only some are in memory at a time. */
  readCourse: (workspaceId: string, scenarioId: string) => AsyncIterable<State>;
};

export type WantedStates = {
  simulationId: string;
  scenarioId?: string;
  fromTurn?: number;
  limit: number;
};
