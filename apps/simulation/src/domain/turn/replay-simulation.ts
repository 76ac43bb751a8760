import { decide, hashState, InvariantBroken, MODEL_VERSION } from '../engine/engine.ts';
import type { EngineState } from '../engine/engine.ts';
import { noSuchSimulation, otherModel } from '../simulation/refusals.ts';
import type {
  Scenario,
  ScenarioStore,
  Simulation,
  SimulationStore,
  State,
  StateStore,
} from '../simulation/simulation.ts';
import { hashDecision, stepScenario } from './step-scenario.ts';

export type ReplayDeps = {
  simulations: Pick<SimulationStore, 'find'>;
  scenarios: Pick<ScenarioStore, 'list'>;
  states: Pick<StateStore, 'readCourse'>;
};

export type Replay = {
  turns: number;
  /** States that come out otherwise: `<scenario id>:<turn>`, at most `MISMATCHES_MAX`. */
  mismatches: string[];
};

/** Later mismatches are not listed: one is enough to know that the states cannot be relied on. */
export const MISMATCHES_MAX = 100;

/**
 * All turns anew from what was given, the seed and the proposals of the agents, without a model:
 * each state must have the hash that was kept. Rejects with NOT_FOUND, and CONFLICT `other_model`
 * when the states were made by another version of the engine.
 */
export const replaySimulation = async (
  workspaceId: string,
  simulationId: string,
  { simulations, scenarios, states }: ReplayDeps,
): Promise<Replay> => {
  const simulation = await simulations.find(workspaceId, simulationId);
  if (!simulation) throw noSuchSimulation();
  const mismatches: string[] = [];
  for (const scenario of await scenarios.list(workspaceId, simulationId)) {
    const course = states.readCourse(workspaceId, scenario.id);
    mismatches.push(...(await replayScenario(simulation, scenario, course)));
  }
  return { turns: simulation.currentTurn, mismatches: mismatches.slice(0, MISMATCHES_MAX) };
};

/** What comes out otherwise is gone on from: one fault is not told of every turn after it. */
const replayScenario = async (
  simulation: Simulation,
  { id, opening }: Scenario,
  course: AsyncIterable<State>,
): Promise<string[]> => {
  const mismatches: string[] = [];
  let before = opening;
  for await (const state of course) {
    if (state.modelVersion !== MODEL_VERSION) throw otherModel();
    if (!replayTurn(simulation, before, state)) mismatches.push(`${id}:${state.turn}`);
    before = state.engineState;
  }
  return mismatches;
};

const replayTurn = (
  simulation: Simulation,
  before: EngineState,
  { scenarioId: id, parameters, turn, ...kept }: State,
): boolean => {
  const { proposals } = kept.decision;
  const decision = { ...kept.decision, ...decide(proposals, before, simulation.turnUnit) };
  try {
    const again = stepScenario({
      simulation,
      scenario: { id, parameters },
      before,
      decision,
      turn,
    });
    return (
      again.stateHash === kept.stateHash &&
      hashState(kept.engineState) === kept.stateHash &&
      hashDecision(decision) === kept.decisionsHash
    );
  } catch (error) {
    // What breaks the books was never made by this engine.
    if (error instanceof InvariantBroken) return false;
    throw error;
  }
};
