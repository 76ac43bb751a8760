import { decide } from '../engine/engine.ts';
import type { EngineState } from '../engine/engine.ts';
import type { Caller } from '../model/model-call.ts';
import { addUsage, NO_USAGE } from '../model/ask-once.ts';
import type { TokenUsage } from '../model/model-call.ts';
import type { Report } from '../report/report.ts';
import { isForLater } from '../report/write-report.ts';
import type { PanelOwner } from '../simulation/purge-panels.ts';
import { TURNS_MAX } from '../simulation/read-draft.ts';
import {
  noActiveScenario,
  noSuchSimulation,
  simulationFinalized,
  tooManyTurns,
  turnConflict,
} from '../simulation/refusals.ts';
import type {
  Decision,
  Scenario,
  ScenarioStore,
  Simulation,
  SimulationStore,
  State,
  StateStore,
} from '../simulation/simulation.ts';
import { consultCouncil } from './consult-council.ts';
import type { ConsultCouncilDeps } from './consult-council.ts';
import { describeTurn } from './describe-turn.ts';
import { eachAsItSettles } from './each-as-it-settles.ts';
import { explainLoss } from './explain-loss.ts';
import type { Hold, HoldSimulation } from './hold-simulation.ts';
import { stepScenario } from './step-scenario.ts';
import { SimulationLost } from './turn-store.ts';
import type { TurnStore } from './turn-store.ts';

export type AdvanceRequest = {
  simulationId: string;
  /** CONFLICT `turn_conflict` when the current turn is another. */
  expectedTurn?: number;
  requestSha256: string;
};

/** What happens in an advance, in order; `advanced` is the last. */
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

/** Ends a simulation that is held; answers its report. */
export type FinalizeHeld = (
  simulation: Simulation,
  hold: Hold,
  asked: { caller: Caller; requestSha256: string },
) => Promise<Report>;

export type AdvanceDeps = ConsultCouncilDeps & {
  hold: HoldSimulation;
  simulations: Pick<SimulationStore, 'find'>;
  scenarios: Pick<ScenarioStore, 'list' | 'insert'>;
  states: Pick<StateStore, 'list' | 'findLast'>;
  turns: TurnStore;
  finalizeHeld: FinalizeHeld;
  newId: (prefix: string) => string;
  clock: () => Date;
  /** The simulation was deleted while it was advanced. */
  onGone: (owner: PanelOwner) => Promise<void>;
};

/** States that agents are told of. */
const HISTORY = 6;

/**
 * One turn of every active scenario: the councils decide at once, what they decided is kept, the
 * engine makes the states, and all of them are written with the turn and its fact in one
 * transaction. A turn that was cut off is taken up where it stands. Rejects with NOT_FOUND,
 * CONFLICT, and what a council fails of that the caller can mend.
 */
export async function* advance(
  asked: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): AsyncGenerator<AdvanceProgress> {
  const { workspaceId } = caller;
  const { simulationId } = asked;
  await using hold = await deps.hold({ workspaceId, simulationId }, caller.signal);
  try {
    yield* advanceHeld(hold, asked, { ...caller, signal: hold.signal }, deps);
  } catch (error) {
    const { cause, isGone } = await explainLoss(error, hold, deps);
    // Panels that it was just asking for came after those that were purged.
    if (isGone) await deps.onGone({ workspaceId, owner: simulationId });
    throw cause;
  }
}

async function* advanceHeld(
  hold: Hold,
  asked: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): AsyncGenerator<AdvanceProgress> {
  const simulation = await openTurn(hold, asked, caller, deps);
  const turn = simulation.currentTurn + 1;
  const scenarios = await findActive(simulation, caller, deps);
  yield { kind: 'started', turn, scenarios };
  const decided = new Map<string, Decided>();
  const staysLocal = await hasStayed(simulation, caller, deps);
  const councils = scenarios.map((scenario) =>
    decideScenario({ simulation, scenario, turn, staysLocal }, asked, caller, deps),
  );
  for await (const one of eachAsItSettles(councils)) {
    decided.set(one.scenario.id, one);
    yield { kind: 'decided', scenarioId: one.scenario.id, decision: one.decision };
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
  const advanced = await deps.turns.commitTurn(hold.held, { turn, states });
  const isFinalized = await endAtHorizon(advanced, { hold, asked, caller }, deps);
  const usage = states.map(({ decision }) => decision.usage).reduce(addUsage, NO_USAGE);
  yield { kind: 'advanced', states, currentTurn: turn, usage, isFinalized };
}

/** The turn stands, whether or not its report can be written now; the next call writes that. */
const endAtHorizon = async (
  simulation: Simulation,
  { hold, asked: { requestSha256 }, caller }: { hold: Hold; asked: AdvanceRequest; caller: Caller },
  { finalizeHeld }: AdvanceDeps,
): Promise<boolean> => {
  if (!isAtHorizon(simulation)) return false;
  try {
    await finalizeHeld(simulation, hold, { caller, requestSha256 });
    return true;
  } catch (error) {
    if (isForLater(error)) return false;
    throw error;
  }
};

const isAtHorizon = ({ horizonTurns, currentTurn }: Simulation): boolean =>
  horizonTurns > 0 && currentTurn >= horizonTurns;

/** Throws unless the simulation may be advanced now. */
const openTurn = async (
  hold: Hold,
  { expectedTurn, requestSha256 }: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): Promise<Simulation> => {
  const { workspaceId, simulationId } = hold.held;
  const simulation = await deps.simulations.find(workspaceId, simulationId);
  if (!simulation) throw noSuchSimulation();
  if (simulation.status === 'active' && isAtHorizon(simulation)) {
    // Whoever made the last turn was killed before its report was written.
    await deps.finalizeHeld(simulation, hold, { caller, requestSha256 });
    throw simulationFinalized();
  }
  if (simulation.status === 'finalized') throw simulationFinalized();
  if (expectedTurn !== undefined && expectedTurn !== simulation.currentTurn) {
    throw turnConflict(expectedTurn, simulation.currentTurn);
  }
  if (simulation.currentTurn >= TURNS_MAX) throw tooManyTurns(TURNS_MAX);
  return simulation;
};

/** A simulation without any scenario gets its first one. */
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
    if (!(await scenarios.insert(workspaceId, baseline))) throw new SimulationLost();
    return [baseline];
  }
  const active = all.filter(({ isActive }) => isActive);
  if (active.length === 0) throw noActiveScenario();
  return active;
};

/** A panel that follows one that stayed stays, too: the last one of each scenario tells. */
const hasStayed = async (
  { id }: Simulation,
  { workspaceId }: Caller,
  { states }: AdvanceDeps,
): Promise<boolean> => {
  const last = await states.findLast(workspaceId, id);
  return [...last.values()].some(({ decision }) => decision.staysLocal === true);
};

type Asking = { simulation: Simulation; scenario: Scenario; turn: number; staysLocal: boolean };
type Decided = {
  scenario: Scenario;
  before: EngineState;
  earlier: readonly EngineState[];
  decision: Decision;
};

const decideScenario = async (
  { simulation, scenario, turn, staysLocal }: Asking,
  { requestSha256 }: AdvanceRequest,
  caller: Caller,
  deps: AdvanceDeps,
): Promise<Decided> => {
  const simulationId = simulation.id;
  const scenarioId = scenario.id;
  const wanted = { simulationId, scenarioId, limit: HISTORY };
  const history = await deps.states.list(caller.workspaceId, wanted);
  const before = history[0]?.engineState ?? scenario.opening;
  const question = describeTurn({ simulation, scenario, turn, before, history, staysLocal });
  const consultation = { simulationId, scenarioId, turn, question, requestSha256 };
  const verdict = await consultCouncil(consultation, caller, deps);
  const decided = decide(verdict.proposals, before, simulation.turnUnit);
  const earlier = [...history.map(({ engineState }) => engineState), scenario.opening];
  return { scenario, before, earlier, decision: { ...verdict, ...decided } };
};
