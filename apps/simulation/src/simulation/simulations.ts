import { createHash } from 'node:crypto';
import { checkLimit, readPage } from '@witan/contracts';
import type { Page, PageRequest } from '@witan/contracts';
import { MODEL_VERSION, openState, readCompanyBase } from '../engine/engine.ts';
import { toPlain } from './simulation.ts';
import {
  checkDescription,
  checkHorizon,
  checkName,
  parseObject,
  parseSeed,
  parseTurnUnit,
} from './read-draft.ts';
import { noSuchScenario, noSuchSimulation } from './simulation-errors.ts';
import type {
  ListedSimulation,
  ScenarioStore,
  Simulation,
  SimulationStore,
  State,
  StateStore,
  StateQuery,
} from './simulation.ts';

type SimulationDraft = {
  name: string;
  description: string;
  turnUnit: string;
  companyBase: string;
  horizonTurns: number;
  seed?: bigint;
};

type SimulationsDeps = {
  simulations: SimulationStore;
  scenarios: Pick<ScenarioStore, 'list'>;
  states: Pick<StateStore, 'list'>;
  /** Deletes the panels of deleted simulations. Never rejects. */
  purge: () => Promise<void>;
  newId: (prefix: string) => string;
  clock: () => Date;
};

const STATES_SHOWN = 50;

/** Methods with the id of a simulation reject with NOT_FOUND if it does not exist. */
export const createSimulations = ({
  simulations: store,
  scenarios,
  states,
  purge,
  newId,
  clock,
}: SimulationsDeps) => {
  const getSimulation = async (workspaceId: string, id: string): Promise<Simulation> => {
    const simulation = await store.find(workspaceId, id);
    if (!simulation) throw noSuchSimulation();
    return simulation;
  };
  return {
    create: async (workspaceId: string, draft: SimulationDraft): Promise<Simulation> => {
      const simulation = toSimulation(draft, { id: newId('sim'), createdAt: clock() });
      await store.insert(workspaceId, simulation);
      return simulation;
    },
    list: (workspaceId: string, page: PageRequest): Promise<Page<ListedSimulation>> =>
      readPage(page, (query) => store.list(workspaceId, query)),
    get: async (workspaceId: string, id: string) => {
      const [simulation, branches, last] = await Promise.all([
        getSimulation(workspaceId, id),
        scenarios.list(workspaceId, id),
        states.list(workspaceId, { simulationId: id, limit: STATES_SHOWN }),
      ]);
      return { simulation, scenarios: branches, states: last };
    },
    listStates: async (workspaceId: string, request: StateQuery): Promise<State[]> => {
      checkLimit(request.limit);
      await getSimulation(workspaceId, request.simulationId);
      const { simulationId, scenarioId } = request;
      if (scenarioId !== undefined) {
        const branches = await scenarios.list(workspaceId, simulationId);
        if (!branches.some(({ id }) => id === scenarioId)) throw noSuchScenario('scenarioId');
      }
      return states.list(workspaceId, request);
    },
    remove: async (workspaceId: string, id: string): Promise<void> => {
      if (!(await store.delete(workspaceId, id))) throw noSuchSimulation();
      await purge();
    },
  };
};

export type Simulations = ReturnType<typeof createSimulations>;

const toSimulation = (
  draft: SimulationDraft,
  { id, createdAt }: { id: string; createdAt: Date },
): Simulation => {
  const { name, description, horizonTurns } = draft;
  checkName(name);
  checkDescription(description);
  checkHorizon(horizonTurns);
  const turnUnit = parseTurnUnit(draft.turnUnit);
  const companyBase = parseObject('companyBase', draft.companyBase);
  const seed = draft.seed === undefined ? seedOf(id) : parseSeed(draft.seed);
  const { company, assumptions } = readCompanyBase(toPlain(companyBase));
  return {
    id,
    name,
    description,
    turnUnit,
    companyBase,
    opening: openState(company),
    assumptions,
    seed,
    horizonTurns,
    modelVersion: MODEL_VERSION,
    status: 'active',
    currentTurn: 0,
    stateCount: 0,
    createdAt,
  };
};

const SEED_BYTES = 6;

const seedOf = (id: string): number =>
  createHash('sha256').update(id).digest().readUIntBE(0, SEED_BYTES);

export type PanelOwner = { owner: string; workspaceId: string };

export type PanelPurgeStore = {
  /**
   * Returns an owner whose panels are due for deletion and postpones it by `retryAfterMs`, so that
   * it is claimed again unless it is removed.
   */
  claim: (retryAfterMs: number) => Promise<PanelOwner | undefined>;
  add: (owner: PanelOwner) => Promise<void>;
  remove: (owner: PanelOwner) => Promise<void>;
};

type PurgePanelsDeps = {
  store: Pick<PanelPurgeStore, 'claim' | 'remove'>;
  deletePanels: (owner: PanelOwner) => Promise<void>;
};

const RETRY_AFTER_MS = 60_000;

/**
 * Returns a function that deletes the panels of deleted simulations in the agents service. It
 * rejects at the first failure; the panels concerned are due again after a minute.
 */
export const createPurgePanels =
  ({ store, deletePanels }: PurgePanelsDeps) =>
  async (): Promise<void> => {
    for (;;) {
      const due = await store.claim(RETRY_AFTER_MS);
      if (!due) return;
      await deletePanels(due);
      await store.remove(due);
    }
  };
