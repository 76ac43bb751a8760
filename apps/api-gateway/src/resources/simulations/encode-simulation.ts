import type { Report, Scenario, Simulation, State } from '@witan/contracts';
import { parseExactly } from '@witan/dialects';
import { encodeAs } from '../../http/encode.ts';
import type { RouteCall } from '../../http/route.ts';
import { scenario } from './scenario-schema.ts';
import {
  listedSimulation,
  reportSchema,
  simulationSchema,
  state as stateSchema,
} from './simulation-schema.ts';

export const encodeSimulation = (simulation: Simulation) =>
  encodeAs(simulationSchema, simulation, { horizonTurns: simulation.horizonTurns || null });

export const encodeListedSimulation = (simulation: Simulation) =>
  encodeAs(listedSimulation, { ...simulation, _count: { states: simulation.stateCount } });

export const encodeScenario = (message: Scenario) => encodeAs(scenario, message);

export const encodeState = (state: State) =>
  encodeAs(stateSchema, { ...state, proofs: state.proofIds });

export const encodeReport = (report: Report) =>
  encodeAs(reportSchema, { ...report, proofs: report.proofIds });

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
