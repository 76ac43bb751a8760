import type { JsonObject } from '@bufbuild/protobuf';
import type { EngineState, TurnUnit, WorldEvent } from '../../engine/engine.ts';
import { parseExactObject } from '../simulation.ts';
import type { Decision, ListedSimulation, Scenario, Simulation, State } from '../simulation.ts';

export const SIMULATION_COLUMNS = `
  id, name, description, turn_unit AS "turnUnit", company_base::text AS "companyBase",
  opening::text AS opening, assumptions::text AS assumptions, seed::text AS seed,
  horizon_turns AS "horizonTurns", model_version AS "modelVersion", status,
  current_turn AS "currentTurn", state_count AS "stateCount", created_at AS "createdAt"`;

export type SimulationRow = {
  id: string;
  name: string;
  description: string;
  turnUnit: TurnUnit;
  companyBase: string;
  opening: string;
  assumptions: string;
  seed: string;
  horizonTurns: number;
  modelVersion: string;
  status: Simulation['status'];
  currentTurn: number;
  stateCount: number;
  createdAt: Date | string;
};

export const LISTED_COLUMNS = `
  id, name, turn_unit AS "turnUnit", current_turn AS "currentTurn", state_count AS "stateCount",
  created_at AS "createdAt"`;

export type ListedRow = Omit<ListedSimulation, 'createdAt'> & Pick<SimulationRow, 'createdAt'>;

export const toListed = ({ createdAt, ...row }: ListedRow): ListedSimulation => ({
  ...row,
  createdAt: new Date(createdAt),
});

export const toSimulation = (row: SimulationRow): Simulation => ({
  ...row,
  companyBase: parseExactObject(row.companyBase),
  opening: JSON.parse(row.opening) as EngineState,
  assumptions: JSON.parse(row.assumptions) as string[],
  seed: Number(row.seed),
  createdAt: new Date(row.createdAt),
});

export const SCENARIO_COLUMNS = `
  id, simulation_id AS "simulationId", name, description, parameters::text AS parameters,
  ignored_parameters::text AS "ignoredParameters", is_active AS "isActive",
  forked_at_turn AS "forkedAtTurn", opening::text AS opening, created_at AS "createdAt"`;

export type ScenarioRow = {
  id: string;
  simulationId: string;
  name: string;
  description: string;
  parameters: string;
  ignoredParameters: string;
  isActive: boolean;
  forkedAtTurn: number;
  opening: string;
  createdAt: Date | string;
};

export const toScenario = (row: ScenarioRow): Scenario => ({
  ...row,
  parameters: parseExactObject(row.parameters),
  ignoredParameters: JSON.parse(row.ignoredParameters) as string[],
  opening: JSON.parse(row.opening) as EngineState,
  createdAt: new Date(row.createdAt),
});

export const STATE_COLUMNS = `
  id, scenario_id AS "scenarioId", turn, engine_state::text AS "engineState",
  company_state::text AS "companyState", world_state::text AS "worldState",
  events::text AS events, decision::text AS decision, parameters::text AS parameters,
  state_hash AS "stateHash", decisions_hash AS "decisionsHash",
  model_version AS "modelVersion", created_at AS "createdAt"`;

export type StateRow = {
  id: string;
  scenarioId: string;
  turn: number;
  engineState: string;
  companyState: string;
  worldState: string;
  events: string;
  decision: string;
  parameters: string;
  stateHash: string;
  decisionsHash: string;
  modelVersion: string;
  createdAt: Date | string;
};

export const toState = (row: StateRow): State => ({
  ...row,
  engineState: JSON.parse(row.engineState) as EngineState,
  companyState: parseExactObject(row.companyState),
  worldState: JSON.parse(row.worldState) as JsonObject,
  events: JSON.parse(row.events) as WorldEvent[],
  decision: JSON.parse(row.decision) as Decision,
  parameters: parseExactObject(row.parameters),
  createdAt: new Date(row.createdAt),
});
