import { createHash } from 'node:crypto';
import type { JsonObject } from '@bufbuild/protobuf';
import { canonicalJson } from '@witan/proof';
import {
  hashState,
  playTurn,
  readCompanyBase,
  readParameters,
  showInflation,
  toScenarioSeed,
} from '../engine/engine.ts';
import type { EngineState, TurnInput } from '../engine/engine.ts';
import { pickMembers, toPlain } from './simulation.ts';
import type { Decision, Scenario, Simulation, State } from './simulation.ts';

export type Step = {
  simulation: Pick<Simulation, 'seed' | 'turnUnit' | 'companyBase'>;
  scenario: Pick<Scenario, 'id' | 'parameters'>;
  before: EngineState;
  earlier?: readonly EngineState[];
  decision: Decision;
  turn: number;
};

type SteppedState = Omit<State, 'id' | 'createdAt'>;

/** Returns the state of a scenario after one turn. Has no side effects. Throws `InvariantError`. */
export const stepScenario = ({ simulation, scenario, before, ...decided }: Step): SteppedState => {
  const { decision, turn, earlier = [] } = decided;
  const { levers } = decision;
  const input = { levers, turn, ...toInput(simulation, scenario) };
  const turnResult = playTurn(before, input);
  const { state, companyState, worldState, events } = turnResult;
  const inflationRate = showInflation(state, [before, ...earlier], input);
  const { unknown } = readCompanyBase(toPlain(simulation.companyBase));
  return {
    scenarioId: scenario.id,
    turn,
    engineState: state,
    companyState: {
      ...pickMembers(simulation.companyBase, Object.keys(unknown)),
      ...companyState,
    },
    worldState: { ...worldState, ...(inflationRate === undefined ? {} : { inflationRate }) },
    events,
    decision,
    parameters: scenario.parameters,
    stateHash: hashState(state),
    decisionsHash: hashDecision(decision),
    modelVersion: state.modelVersion,
  };
};

export const toInput = (
  { seed, turnUnit }: Pick<Simulation, 'seed' | 'turnUnit'>,
  { id, parameters: given }: Pick<Scenario, 'id' | 'parameters'>,
): Omit<TurnInput, 'levers' | 'turn'> => {
  const { parameters } = readParameters(toPlain(given));
  return { parameters, seed: toScenarioSeed(seed, id, parameters), turnUnit };
};

export const toDisplayedDecision = (decision: Decision): JsonObject => {
  const { proposals, levers, clamped, isFallback, convergenceScore, absentAgents } = decision;
  return {
    proposals: proposals.map(({ levers: proposedLevers, ...proposal }) => ({
      ...proposal,
      levers: { ...proposedLevers },
    })),
    levers: { ...levers },
    clamped: clamped.map((clamp) => ({ ...clamp })),
    convergenceScore,
    absentAgents: [...absentAgents],
    fallback: isFallback,
    ...(decision.failure === undefined ? {} : { failure: decision.failure }),
  };
};

export const hashDecision = (decision: Decision): string =>
  createHash('sha256')
    .update(canonicalJson(toDisplayedDecision(decision)))
    .digest('hex');
