import { decide, hashState, InvariantError, MODEL_VERSION } from '../engine/engine.ts';
import type { EngineState } from '../engine/engine.ts';
import { noSuchSimulation, otherModel } from './simulation-errors.ts';
import type {
  Scenario,
  ScenarioStore,
  Simulation,
  SimulationStore,
  State,
  StateStore,
} from './simulation.ts';
import { hashDecision, stepScenario } from './step-scenario.ts';

type ReplayDeps = {
  simulations: Pick<SimulationStore, 'find'>;
  scenarios: Pick<ScenarioStore, 'list'>;
  states: Pick<StateStore, 'readAll'>;
};

type Replay = {
  turns: number;
  mismatches: string[];
};

const MISMATCHES_MAX = 100;

/**
 * Recomputes all turns from the stored input, seed and proposals, without calling a model, and
 * returns up to 100 turns whose state or decision differs. Rejects with NOT_FOUND, and with
 * CONFLICT `other_model` if another version of the engine computed the states.
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
    const history = states.readAll(workspaceId, scenario.id);
    mismatches.push(...(await replayScenario(simulation, scenario, history)));
  }
  return { turns: simulation.currentTurn, mismatches: mismatches.slice(0, MISMATCHES_MAX) };
};

/**
 * Returns the turns of a scenario whose recomputed state or decision differs. Each turn starts from
 * the stored state before it, so that one mismatch is not reported for every later turn, too.
 */
const replayScenario = async (
  simulation: Simulation,
  { id, opening }: Scenario,
  history: AsyncIterable<State>,
): Promise<string[]> => {
  const mismatches: string[] = [];
  let before = opening;
  for await (const state of history) {
    if (state.modelVersion !== MODEL_VERSION) throw otherModel();
    if (!replayTurn(simulation, before, state)) mismatches.push(`${id}:${state.turn}`);
    before = state.engineState;
  }
  return mismatches;
};

const replayTurn = (
  simulation: Simulation,
  before: EngineState,
  { scenarioId: id, parameters, turn, ...stored }: State,
): boolean => {
  const { proposals } = stored.decision;
  const decision = { ...stored.decision, ...decide(proposals, before, simulation.turnUnit) };
  try {
    const replayed = stepScenario({
      simulation,
      scenario: { id, parameters },
      before,
      decision,
      turn,
    });
    return (
      replayed.stateHash === stored.stateHash &&
      hashState(stored.engineState) === stored.stateHash &&
      hashDecision(decision) === stored.decisionsHash
    );
  } catch (error) {
    if (error instanceof InvariantError) return false;
    throw error;
  }
};

export type TurnObserver = {
  onTurn: (states: readonly State[], tookMs: number) => void;
  onReplayed: (replay: Replay, tookMs: number) => void;
  onForecast: (tookMs: number) => void;
};
