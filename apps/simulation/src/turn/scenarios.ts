import { readParameters } from '../engine/engine.ts';
import type { EngineState } from '../engine/engine.ts';
import { toPlain } from '../simulation/simulation.ts';
import { checkDescription, checkName, parseObject } from '../simulation/read-draft.ts';
import {
  noSuchScenario,
  noSuchSimulation,
  simulationFinalized,
  tooManyScenarios,
} from '../simulation/simulation-errors.ts';
import type {
  Scenario,
  ScenarioStore,
  ScenarioUpdate,
  Simulation,
  SimulationStore,
  StateStore,
} from '../simulation/simulation.ts';
import type { LeaseSimulation } from '../simulation/lease-simulation.ts';

type ScenarioDraft = {
  simulationId: string;
  name: string;
  description: string;
  /** JSON text of an object. Empty text means no parameters. */
  parameters: string;
  /**
   * Scenario from whose last state the new scenario branches, or from its opening if it has not
   * been played. If empty, it is the oldest scenario.
   */
  fromScenarioId: string;
};

type ScenarioChanges = {
  simulationId: string;
  scenarioId: string;
  name?: string;
  description?: string;
  parameters?: string;
  isActive?: boolean;
};

export type ScenarioDeps = {
  lease: LeaseSimulation;
  simulations: Pick<SimulationStore, 'find'>;
  scenarios: ScenarioStore;
  states: Pick<StateStore, 'findLast'>;
  newId: (prefix: string) => string;
  clock: () => Date;
};

/**
 * Maximum number of scenarios of a simulation, because their councils run concurrently in every
 * turn.
 */
const SCENARIOS_MAX = 32;

/**
 * Adds a scenario. Waits while a turn is being played, so that the branch starts from a complete
 * turn.
 */
export const addScenario = async (
  workspaceId: string,
  draft: ScenarioDraft,
  signal: AbortSignal,
  deps: ScenarioDeps,
): Promise<Scenario> => {
  const { simulationId, name, description } = draft;
  checkName(name);
  checkDescription(description);
  const world = readWorld(draft.parameters === '' ? '{}' : draft.parameters);
  await using lease = await deps.lease({ workspaceId, simulationId }, signal);
  const simulation = await findActive(workspaceId, simulationId, deps);
  const existing = await deps.scenarios.list(workspaceId, simulationId);
  if (existing.length >= SCENARIOS_MAX) throw tooManyScenarios(SCENARIOS_MAX);
  const start = await findStart(workspaceId, { simulation, existing, draft }, deps);
  lease.signal.throwIfAborted();
  const scenario: Scenario = {
    id: deps.newId('scn'),
    simulationId,
    name,
    description,
    ...world,
    isActive: true,
    ...start,
    createdAt: deps.clock(),
  };
  if (!(await deps.scenarios.insert(workspaceId, scenario))) throw noSuchSimulation();
  return scenario;
};

export const updateScenario = async (
  workspaceId: string,
  { simulationId, scenarioId, parameters, ...changes }: ScenarioChanges,
  deps: Pick<ScenarioDeps, 'simulations' | 'scenarios'>,
): Promise<Scenario> => {
  if (changes.name !== undefined) checkName(changes.name);
  if (changes.description !== undefined) checkDescription(changes.description);
  const world = parameters === undefined ? {} : readWorld(parameters);
  await findActive(workspaceId, simulationId, deps);
  const update: ScenarioUpdate = { simulationId, scenarioId, changes: { ...changes, ...world } };
  const scenario = await deps.scenarios.update(workspaceId, update);
  if (!scenario) throw noSuchScenario();
  return scenario;
};

const readWorld = (text: string): Pick<Scenario, 'parameters' | 'ignoredParameters'> => {
  const parameters = parseObject('parameters', text);
  return { parameters, ignoredParameters: readParameters(toPlain(parameters)).ignored };
};

const findActive = async (
  workspaceId: string,
  simulationId: string,
  { simulations }: Pick<ScenarioDeps, 'simulations'>,
): Promise<Simulation> => {
  const simulation = await simulations.find(workspaceId, simulationId);
  if (!simulation) throw noSuchSimulation();
  if (simulation.status === 'finalized') throw simulationFinalized();
  return simulation;
};

type Start = { opening: EngineState; forkedAtTurn: number };

const findStart = async (
  workspaceId: string,
  {
    simulation,
    existing,
    draft,
  }: { simulation: Simulation; existing: readonly Scenario[]; draft: ScenarioDraft },
  { states }: Pick<ScenarioDeps, 'states'>,
): Promise<Start> => {
  const { fromScenarioId } = draft;
  const source =
    fromScenarioId === '' ? existing[0] : existing.find(({ id }) => id === fromScenarioId);
  if (!source && fromScenarioId !== '') throw noSuchScenario('fromScenarioId');
  if (!source) return { opening: simulation.opening, forkedAtTurn: 0 };
  const last = (await states.findLast(workspaceId, simulation.id)).get(source.id);
  if (last) return { opening: last.engineState, forkedAtTurn: last.turn };
  return { opening: source.opening, forkedAtTurn: source.forkedAtTurn };
};
