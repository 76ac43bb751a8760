import { addUsage, NO_USAGE } from '@witan/dialects';
import type { Caller, TokenUsage } from '@witan/dialects';
import { decide } from '../engine/engine.ts';
import type { EngineState } from '../engine/engine.ts';
import type {
  TurnStore,
  Decision,
  Scenario,
  ScenarioStore,
  Simulation,
  State,
  StateStore,
} from '../simulation/simulation.ts';
import { isRetryableLater } from '../report/write-report.ts';
import type { PanelOwner } from '../simulation/simulations.ts';
import { TURNS_MAX } from '../simulation/read-draft.ts';
import {
  noActiveScenario,
  noSuchSimulation,
  simulationFinalized,
  tooManyTurns,
  turnConflict,
} from '../simulation/simulation-errors.ts';
import { consultPanel } from './consult-panel.ts';
import type { ConsultCouncilDeps } from './consult-panel.ts';
import { describeTurn } from './describe-turn.ts';
import { finalizeLeased } from './finalize.ts';
import type { FinalizeDeps } from './finalize.ts';
import { toLeaseError } from '../simulation/lease-simulation.ts';
import type { SimulationLease } from '../simulation/lease-simulation.ts';
import { stepScenario } from '../simulation/step-scenario.ts';
import { LeaseLostError } from '../simulation/simulation.ts';

type AdvanceRequest = {
  simulationId: string;
  /**
   * Turn that the caller believes to be the current one. If it is not, the call rejects with
   * CONFLICT `turn_conflict`.
   */
  expectedTurn?: number;
  requestSha256: string;
};

/** Progress of a turn in the order in which it is yielded; `advanced` is the last piece. */
export type AdvanceProgress =
  | { kind: 'started'; turn: number; scenarios: readonly Scenario[] }
  | { kind: 'decided'; scenarioId: string; decision: Decision }
  | { kind: 'stepped'; state: State }
  | {
      kind: 'advanced';
      states: readonly State[];
      currentTurn: number;
      usage: TokenUsage;
      isFinalized: boolean;
    };

export type AdvanceDeps = ConsultCouncilDeps &
  FinalizeDeps & {
    scenarios: Pick<ScenarioStore, 'insert'>;
    states: Pick<StateStore, 'list' | 'findLast'>;
    turns: TurnStore;
    newId: (prefix: string) => string;
    clock: () => Date;
    onDeleted: (owner: PanelOwner) => Promise<void>;
  };

const HISTORY_LENGTH = 6;

/**
 * Plays one turn of every active scenario: councils decide concurrently, their verdicts are stored,
 * the engine computes the states, and states, turn and event are written in one transaction.
 * Resumes an interrupted turn from the stored verdicts.
 */
export async function* advance(
  request: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): AsyncGenerator<AdvanceProgress> {
  const { workspaceId } = caller;
  const { simulationId } = request;
  await using lease = await deps.lease({ workspaceId, simulationId }, caller.signal);
  try {
    yield* advanceLeased(lease, request, { ...caller, signal: lease.signal }, deps);
  } catch (error) {
    const { cause, isDeleted } = await toLeaseError(error, lease, deps);
    // Panels that were requested while the simulation was being deleted may have been created after
    // its panels were purged, so they are purged again.
    if (isDeleted) await deps.onDeleted({ workspaceId, owner: simulationId });
    throw cause;
  }
}

async function* advanceLeased(
  lease: SimulationLease,
  request: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): AsyncGenerator<AdvanceProgress> {
  const simulation = await checkTurn(lease, request, caller, deps);
  const turn = simulation.currentTurn + 1;
  const scenarios = await findActive(simulation, caller, deps);
  yield { kind: 'started', turn, scenarios };
  const decided = new Map<string, DecidedTurn>();
  const staysLocal = await wasLocalOnly(simulation, caller, deps);
  const councils = scenarios.map((scenario) =>
    decideScenario({ simulation, scenario, turn, staysLocal }, request, caller, deps),
  );
  for await (const decidedTurn of yieldAsSettled(councils)) {
    decided.set(decidedTurn.scenario.id, decidedTurn);
    yield { kind: 'decided', scenarioId: decidedTurn.scenario.id, decision: decidedTurn.decision };
  }
  const states: State[] = [];
  for (const { id } of scenarios) {
    const { scenario, before, earlier, decision } = decided.get(id)!;
    const stepped = stepScenario({ simulation, scenario, before, earlier, decision, turn });
    const state = { ...stepped, id: deps.newId('sta'), createdAt: deps.clock() };
    states.push(state);
    yield { kind: 'stepped', state };
  }
  caller.signal.throwIfAborted();
  const advanced = await deps.turns.commitTurn(lease.leased, { turn, states });
  const isFinalized = await endAtHorizon(advanced, { lease, request, caller }, deps);
  const usage = states.map(({ decision }) => decision.usage).reduce(addUsage, NO_USAGE);
  yield { kind: 'advanced', states, currentTurn: turn, usage, isFinalized };
}

/**
 * Writes the report if the turn was the last one, and returns true if it was written. Returns false
 * if writing failed with an error after which a later call can succeed: the turn is valid
 * nevertheless, and the next call writes the report.
 */
const endAtHorizon = async (
  simulation: Simulation,
  {
    lease,
    request: { requestSha256 },
    caller,
  }: { lease: SimulationLease; request: AdvanceRequest; caller: Caller },
  deps: AdvanceDeps,
): Promise<boolean> => {
  if (!isAtHorizon(simulation)) return false;
  try {
    await finalizeLeased(simulation, lease, { caller, requestSha256 }, deps);
    return true;
  } catch (error) {
    if (isRetryableLater(error)) return false;
    throw error;
  }
};

const isAtHorizon = ({ horizonTurns, currentTurn }: Simulation): boolean =>
  horizonTurns > 0 && currentTurn >= horizonTurns;

const checkTurn = async (
  lease: SimulationLease,
  { expectedTurn, requestSha256 }: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): Promise<Simulation> => {
  const { workspaceId, simulationId } = lease.leased;
  const simulation = await deps.simulations.find(workspaceId, simulationId);
  if (!simulation) throw noSuchSimulation();
  if (simulation.status === 'active' && isAtHorizon(simulation)) {
    // The call that played the last turn ended without writing the report.
    await finalizeLeased(simulation, lease, { caller, requestSha256 }, deps);
    throw simulationFinalized();
  }
  if (simulation.status === 'finalized') throw simulationFinalized();
  if (expectedTurn !== undefined && expectedTurn !== simulation.currentTurn) {
    throw turnConflict(expectedTurn, simulation.currentTurn);
  }
  if (simulation.currentTurn >= TURNS_MAX) throw tooManyTurns(TURNS_MAX);
  return simulation;
};

const findActive = async (
  { id, opening }: Simulation,
  { workspaceId }: Caller,
  { scenarios, newId, clock }: AdvanceDeps,
): Promise<Scenario[]> => {
  const all = await scenarios.list(workspaceId, id);
  if (all.length === 0) {
    const baseline: Scenario = {
      id: newId('scn'),
      simulationId: id,
      name: 'Baseline',
      description: '',
      parameters: {},
      ignoredParameters: [],
      isActive: true,
      forkedAtTurn: 0,
      opening,
      createdAt: clock(),
    };
    if (!(await scenarios.insert(workspaceId, baseline))) throw new LeaseLostError();
    return [baseline];
  }
  const active = all.filter(({ isActive }) => isActive);
  if (active.length === 0) throw noActiveScenario();
  return active;
};

const wasLocalOnly = async (
  { id }: Simulation,
  { workspaceId }: Caller,
  { states }: AdvanceDeps,
): Promise<boolean> => {
  const last = await states.findLast(workspaceId, id);
  return [...last.values()].some(({ decision }) => decision.staysLocal === true);
};

type ScenarioTurn = {
  simulation: Simulation;
  scenario: Scenario;
  turn: number;
  staysLocal: boolean;
};
type DecidedTurn = {
  scenario: Scenario;
  before: EngineState;
  earlier: readonly EngineState[];
  decision: Decision;
};

const decideScenario = async (
  { simulation, scenario, turn, staysLocal }: ScenarioTurn,
  { requestSha256 }: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): Promise<DecidedTurn> => {
  const simulationId = simulation.id;
  const scenarioId = scenario.id;
  const query = { simulationId, scenarioId, limit: HISTORY_LENGTH };
  const history = await deps.states.list(caller.workspaceId, query);
  const before = history[0]?.engineState ?? scenario.opening;
  const question = describeTurn({ simulation, scenario, turn, before, history, staysLocal });
  const consultation = { simulationId, scenarioId, turn, question, requestSha256 };
  const verdict = await consultPanel(consultation, caller, deps);
  const decided = decide(verdict.proposals, before, simulation.turnUnit);
  const earlier = [...history.map(({ engineState }) => engineState), scenario.opening];
  return { scenario, before, earlier, decision: { ...verdict, ...decided } };
};

/**
 * Yields the results of promises in the order of completion. If any reject, throws the first error,
 * but only after all have settled, so that no result is lost.
 */
async function* yieldAsSettled<T>(promises: readonly Promise<T>[]): AsyncGenerator<T> {
  const running = new Map(
    promises.map((promise, index) => [
      index,
      settle(promise).then((outcome) => ({ index, outcome })),
    ]),
  );
  const errors: unknown[] = [];
  while (running.size > 0) {
    const { index, outcome } = await Promise.race(running.values());
    running.delete(index);
    if ('error' in outcome) errors.push(outcome.error);
    else yield outcome.value;
  }
  if (errors.length > 0) throw errors[0];
}

const settle = async <T>(promises: Promise<T>): Promise<{ value: T } | { error: unknown }> => {
  try {
    return { value: await promises };
  } catch (error) {
    return { error };
  }
};
