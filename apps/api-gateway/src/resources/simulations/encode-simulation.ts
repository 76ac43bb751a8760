import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { Report, Scenario, Simulation, State, WorldEvent } from '@witan/contracts';
import { parseExactly } from '@witan/dialects';
import type { RouteCall } from '../../http/route.ts';

export const encodeSimulation = (simulation: Simulation) => ({
  id: simulation.id,
  name: simulation.name,
  description: simulation.description || null,
  turnUnit: simulation.turnUnit,
  currentTurn: simulation.currentTurn,
  status: simulation.status,
  horizonTurns: simulation.horizonTurns || null,
  seed: Number(simulation.seed),
  companyBase: readObject(simulation.companyBase),
  assumptions: simulation.assumptions,
  modelVersion: simulation.modelVersion,
  createdAt: toInstant(simulation.createdAt),
});

export const encodeListedSimulation = (simulation: Simulation) => ({
  id: simulation.id,
  name: simulation.name,
  currentTurn: simulation.currentTurn,
  turnUnit: simulation.turnUnit,
  createdAt: toInstant(simulation.createdAt),
  _count: { states: simulation.stateCount },
});

export const encodeScenario = (scenario: Scenario) => ({
  id: scenario.id,
  simulationId: scenario.simulationId,
  name: scenario.name,
  description: scenario.description || null,
  parameters: readObject(scenario.parameters),
  ignoredParameters: scenario.ignoredParameters,
  isActive: scenario.isActive,
  forkedAtTurn: scenario.forkedAtTurn,
  createdAt: toInstant(scenario.createdAt),
});

export const encodeState = (state: State) => ({
  id: state.id,
  scenarioId: state.scenarioId,
  turn: state.turn,
  companyState: readObject(state.companyState),
  worldState: readObject(state.worldState),
  events: state.events.map(encodeWorldEvent),
  decisions: readObject(state.decisions),
  stateHash: state.stateHash,
  decisionsHash: state.decisionsHash,
  proofs: state.proofIds,
  createdAt: toInstant(state.createdAt),
});

const encodeWorldEvent = ({ label, impact, code, effect, duration }: WorldEvent) => ({
  label,
  impact,
  code,
  effect: readObject(effect),
  duration,
});

export const encodeReport = (report: Report) => ({
  summary: report.summary,
  keyDecisions: report.keyDecisions,
  risks: report.risks,
  recommendations: report.recommendations,
  facts: readObject(report.facts),
  fromTemplate: report.fromTemplate,
  proofs: report.proofIds,
});

export const readObject = (text: string): object => parseExactly(text || '{}') as object;

/**
 * Returns the JSON text of a member of the body, with its numbers as the client wrote them, or
 * undefined if the member is absent. It parses the source again, because the parsed body has lost
 * digits that a double cannot represent.
 */
export const readObjectText = (
  { body, source }: Pick<RouteCall, 'body' | 'source'>,
  name: string,
): string | undefined => {
  if (body[name] === undefined) return undefined;
  const exactObject = parseExactly(Buffer.from(source).toString()) as Record<string, unknown>;
  return JSON.stringify(exactObject[name]);
};

const toInstant = (time: Timestamp | undefined): string => timestampDate(time!).toISOString();

const SIMULATION_ID = /^sim_[0-9A-Za-z]{1,64}$/;
const SCENARIO_ID = /^scn_[0-9A-Za-z]{1,64}$/;

export const isSimulationId = (text: string): boolean => SIMULATION_ID.test(text);

export const readSimulationId = ({ params }: Pick<RouteCall, 'params'>): string => {
  if (isSimulationId(params.id!)) return params.id!;
  throw notFound('There is no such simulation in this workspace.');
};

export const readScenarioId = (id: string, param?: string): string => {
  if (SCENARIO_ID.test(id)) return id;
  throw notFound('There is no such scenario in this simulation.', param ? { param } : undefined);
};
