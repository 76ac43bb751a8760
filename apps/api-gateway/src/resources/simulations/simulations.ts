import type { ForecastResponse, ReplayResponse, Simulation } from '@witan/contracts';
import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { withInvalidFields } from '../../errors/send-error.ts';
import { CALL_TIMEOUT_MS, COMPUTE_TIMEOUT_MS, SIMULATION_WAIT_MS } from '../../http/route.ts';
import { readObjectText } from '../../http/encode.ts';
import type { Route } from '../../http/route.ts';
import { CERTIFIED_ERRORS, openProof } from '../certified-call.ts';
import { PAGE_QUERY, readLimit } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { SCENARIO_ID, SIMULATION_ID } from '../resource-id.ts';
import { FORECAST, FORECAST_REQUEST, REPLAY } from './forecast-schema.ts';
import { NEW_SCENARIO, SCENARIO, SCENARIO_CHANGE } from './scenario-schema.ts';
import { advanceRoute } from './simulation-advance.ts';
import {
  CREATED_SIMULATION,
  IGNORED_BODY,
  NEW_SIMULATION,
  REPORT,
  SIMULATION_WITH_STATES,
  SIMULATIONS,
  STATES,
} from './simulation-schema.ts';

type Simulations = Client<typeof SimulationService>;

const { create, list, get, act, change, remove } = nativeRoutes('Simulations', 'sim-engine');

const UINT32_MAX = 2 ** 32 - 1;
const PATH = '/v1/sim-engine/simulations/{id}';
const READ_SCOPES = ['sim-engine', 'sim-engine:read'] as const;
const ids = { id: SIMULATION_ID } as const;

export const simulationRoutes = (simulations: Simulations, timeoutMs: number): Route[] => [
  create('/v1/sim-engine/simulations', {
    id: 'createSimulation',
    summary: 'Begin to play a company forward, by quarters or years',
    body: NEW_SIMULATION,
    returns: 'The simulation, at turn 0',
    schema: CREATED_SIMULATION,
    errors: {
      400:
        'A field is missing or out of range, or companyBase cannot be (details say which ' +
        'members)',
    },
    run: async ({ call, body: { name, description, turnUnit, horizonTurns, seed }, options }) => {
      const draft = {
        name,
        description: description ?? '',
        turnUnit,
        companyBase: readObjectText(call, 'companyBase')!,
        horizonTurns: horizonTurns ?? 0,
        seed: seed === undefined ? undefined : BigInt(seed),
      };
      const created = await withInvalidFields(simulations.createSimulation(draft, options));
      return { simulation: withHorizon(created.simulation!) };
    },
  }),
  list('/v1/sim-engine/simulations', {
    id: 'listSimulations',
    summary: "List the workspace's simulations, newest first",
    returns: 'The simulations',
    schema: SIMULATIONS,
    cursorId: SIMULATION_ID,
    run: async ({ page, options }) => {
      const found = await simulations.listSimulations(page, options);
      const listed = found.simulations.map((simulation) => ({
        ...simulation,
        _count: { states: simulation.stateCount },
      }));
      return { ...found, simulations: listed };
    },
  }),
  get(PATH, {
    id: 'getSimulation',
    summary: 'One simulation with its scenarios and its last 50 states',
    ids,
    returns: 'The simulation',
    schema: SIMULATION_WITH_STATES,
    run: async ({ ids: { id: simulationId }, options }) => {
      const found = await simulations.getSimulation({ simulationId }, options);
      const { simulation, scenarios, states } = found;
      return { simulation: { ...withHorizon(simulation!), scenarios, states } };
    },
  }),
  remove(PATH, {
    id: 'deleteSimulation',
    summary: 'Delete a simulation with its scenarios, states, debates and report',
    ids,
    run: ({ ids: { id: simulationId }, options }) =>
      simulations.deleteSimulation({ simulationId }, options),
  }),
  ...scenarioRoutes(simulations),
  advanceRoute(simulations, timeoutMs),
  ...historyRoutes(simulations),
  ...reportRoutes(simulations, timeoutMs),
];

/** Returns the simulation with null as its horizon if it has none, which messages encode as 0. */
export const withHorizon = (simulation: Simulation) => ({
  ...simulation,
  horizonTurns: simulation.horizonTurns || null,
});

const INVALID_SCENARIO =
  'A field is missing or too long, or a parameter cannot be (details say which)';

const scenarioRoutes = (simulations: Simulations): Route[] => [
  create(`${PATH}/scenarios`, {
    id: 'addScenario',
    summary: 'Add a branch of the simulation: the same company in another world',
    ids,
    body: NEW_SCENARIO,
    returns:
      'The scenario, active. After turn 0 it begins from the last state of another: that of ' +
      'fromScenarioId, else of the oldest',
    schema: SCENARIO,
    errors: {
      400: INVALID_SCENARIO,
      404: 'No such simulation in this workspace, or no such fromScenarioId in this simulation',
      409:
        'The simulation is over (simulation_finalized), has as many scenarios as it may ' +
        '(too_many_scenarios), was being advanced for 120 s (simulation_busy), or a call with ' +
        'this Idempotency-Key runs or lost its answer',
    },
    run: ({ call, ids: { id: simulationId }, body, options }) => {
      const draft = {
        simulationId,
        name: body.name,
        description: body.description ?? '',
        parameters: readObjectText(call, 'parameters') ?? '',
        fromScenarioId: readScenarioId(body.fromScenarioId, 'fromScenarioId'),
      };
      const timeoutMs = SIMULATION_WAIT_MS + CALL_TIMEOUT_MS;
      return withInvalidFields(simulations.addScenario(draft, { ...options, timeoutMs }));
    },
  }),
  change(`${PATH}/scenarios/{scenarioId}`, {
    id: 'updateScenario',
    summary: 'Change a scenario, set it aside or take it up again; what is absent stays',
    ids: { id: SIMULATION_ID, scenarioId: SCENARIO_ID },
    body: SCENARIO_CHANGE,
    returns: 'The scenario as it is now',
    schema: SCENARIO,
    errors: {
      400: INVALID_SCENARIO,
      404: NO_SCENARIO,
      409: 'The simulation is over (simulation_finalized)',
    },
    run: ({ call, ids: { id: simulationId, scenarioId }, body, options }) => {
      const scenarioChange = {
        simulationId,
        scenarioId,
        name: body.name,
        description: body.description === null ? '' : body.description,
        parameters: readObjectText(call, 'parameters'),
        isActive: body.isActive,
      };
      return withInvalidFields(simulations.updateScenario(scenarioChange, options));
    },
  }),
];

const NO_SCENARIO = 'No such simulation in this workspace, or no such scenario in this simulation';

const readScenarioId = (id: string | undefined, param = 'scenarioId'): string =>
  id === undefined ? '' : SCENARIO_ID.read(id, param);

const historyRoutes = (simulations: Simulations): Route[] => [
  get(`${PATH}/states`, {
    id: 'listSimulationStates',
    summary: 'The history of a simulation, newest first; of a scenario, from a turn on',
    ids,
    query: {
      scenarioId: { type: 'string', description: 'By default of all' },
      fromTurn: { type: 'integer', minimum: 0, maximum: UINT32_MAX },
      limit: PAGE_QUERY.limit,
    },
    returns: 'The states',
    schema: STATES,
    errors: { 400: 'limit or fromTurn is out of range', 404: NO_SCENARIO },
    run: ({ ids: { id: simulationId }, query, options }) => {
      const { scenarioId, fromTurn = 0 } = query as { scenarioId?: string; fromTurn?: number };
      const filter = { scenarioId: readScenarioId(scenarioId), fromTurn, limit: readLimit(query) };
      return simulations.listStates({ simulationId, ...filter }, options);
    },
  }),
  act(`${PATH}/forecast`, {
    id: 'forecastSimulation',
    summary: 'What may come of the course that the company is on; asks no model, changes nothing',
    scopes: READ_SCOPES,
    ids,
    body: FORECAST_REQUEST,
    returns: 'Percentiles over all runs, turn by turn',
    schema: FORECAST,
    errors: { 400: 'turns or runs is out of range', 404: NO_SCENARIO },
    run: async ({ ids: { id: simulationId }, body: { turns, runs, scenarioId }, options }) => {
      const request = { simulationId, scenarioId: readScenarioId(scenarioId), turns, runs };
      const computeOptions = { ...options, timeoutMs: COMPUTE_TIMEOUT_MS };
      return { forecast: toForecast(await simulations.forecast(request, computeOptions)) };
    },
  }),
  act(`${PATH}/replay`, {
    id: 'replaySimulation',
    summary: 'Compute every turn again from what was decided, and compare the hashes of its states',
    scopes: READ_SCOPES,
    ids,
    returns: 'Whether all came out the same',
    schema: REPLAY,
    run: async ({ ids: { id: simulationId }, options }) => {
      const computeOptions = { ...options, timeoutMs: COMPUTE_TIMEOUT_MS };
      return toReplay(await simulations.replay({ simulationId }, computeOptions));
    },
  }),
];

export const toForecast = (forecast: ForecastResponse) => ({
  ...forecast,
  percentileIntervals: forecast.intervals,
  insolvencyInterval: { low: forecast.insolvencyLow, high: forecast.insolvencyHigh },
});

export const toReplay = ({ matches, turns, mismatches }: ReplayResponse) => ({
  matches,
  turns,
  mismatches: mismatches.map((mismatch) => {
    const [scenarioId, turn] = mismatch.split(':');
    return { scenarioId, turn: Number(turn) };
  }),
});

const reportRoutes = (simulations: Simulations, timeoutMs: number): Route[] => [
  act(`${PATH}/finalize`, {
    id: 'finalizeSimulation',
    summary: 'End a simulation and write its report; once it is there, it is answered again',
    ids,
    body: IGNORED_BODY,
    idempotent: true,
    returns: 'The report',
    schema: REPORT,
    errors: {
      ...CERTIFIED_ERRORS,
      409:
        'No turn was made yet (nothing_to_report), it was being advanced for 120 s ' +
        '(simulation_busy), or a call with this Idempotency-Key runs or lost its answer',
    },
    run: ({ call, ids: { id: simulationId }, options }) => {
      const { requestSha256 } = openProof(call);
      return simulations.finalize({ simulationId, requestSha256 }, { ...options, timeoutMs });
    },
  }),
  get(`${PATH}/report`, {
    id: 'getSimulationReport',
    summary: 'The report of a simulation that is over',
    ids,
    returns: 'The report',
    schema: REPORT,
    errors: {
      404: 'No such simulation in this workspace, or none that is over: there is no report yet',
    },
    run: ({ ids: { id: simulationId }, options }) =>
      simulations.getReport({ simulationId }, options),
  }),
];
