import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import { COMPUTE_TIMEOUT_MS } from '../../http/call-timeout.ts';
import type { Route } from '../../http/route.ts';
import { encodeForecast, encodeReplay } from './encode-forecast.ts';
import { encodeState } from './encode-simulation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { FORECAST, FORECAST_REQUEST, REPLAY } from './forecast-schema.ts';
import { STATES } from './simulation-schema.ts';
import { SCENARIO_ID, SIMULATION_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';

type Simulations = Client<typeof SimulationService>;
type StatesQuery = { scenarioId?: string; fromTurn?: number; limit?: number };

const LIST_DEFAULT = 100;
const LIST_MAX = 500;
const UINT32_MAX = 2 ** 32 - 1;

const shared = {
  surface: 'native',
  tag: 'Simulations',
  scopes: ['sim-engine', 'sim-engine:read'],
} as const;
const notFoundError = DOCUMENTED_ERROR.native(
  'No such simulation in this workspace, or no such scenario in this simulation',
);
const readScenarioFilter = (id: string | undefined): string =>
  id === undefined ? '' : SCENARIO_ID.read(id, 'scenarioId');

export const statesRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'listSimulationStates',
  method: 'get',
  path: '/v1/sim-engine/simulations/{id}/states',
  summary: 'The history of a simulation, newest first; of a scenario, from a turn on',
  query: {
    scenarioId: { type: 'string', description: 'By default of all' },
    fromTurn: { type: 'integer', minimum: 0, maximum: UINT32_MAX },
    limit: { type: 'integer', minimum: 1, maximum: LIST_MAX },
  },
  responses: {
    200: { description: 'The states', schema: STATES },
    400: DOCUMENTED_ERROR.native('limit or fromTurn is out of range'),
    404: notFoundError,
  },
  handle: async (call) => {
    const { scenarioId, fromTurn = 0, limit = LIST_DEFAULT } = call.query as StatesQuery;
    const simulationId = SIMULATION_ID.read(call.params.id);
    const request = { simulationId, scenarioId: readScenarioFilter(scenarioId), fromTurn, limit };
    const { states } = await simulations.listStates(request, optionsOf(call));
    return { status: 200, json: { states: states.map(encodeState) } };
  },
});

export const forecastRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'forecastSimulation',
  method: 'post',
  path: '/v1/sim-engine/simulations/{id}/forecast',
  summary: 'What may come of the course that the company is on; asks no model, changes nothing',
  body: FORECAST_REQUEST,
  responses: {
    200: { description: 'Percentiles over all runs, turn by turn', schema: FORECAST },
    400: DOCUMENTED_ERROR.native('turns or runs is out of range'),
    404: notFoundError,
  },
  handle: async (call) => {
    const { turns, runs, scenarioId } = call.body as Static<typeof FORECAST_REQUEST>;
    const simulationId = SIMULATION_ID.read(call.params.id);
    const request = { simulationId, scenarioId: readScenarioFilter(scenarioId), turns, runs };
    const options = { ...optionsOf(call), timeoutMs: COMPUTE_TIMEOUT_MS };
    const forecast = await simulations.forecast(request, options);
    return { status: 200, json: { forecast: encodeForecast(forecast) } };
  },
});

export const replayRoute = (simulations: Simulations): Route => ({
  ...shared,
  id: 'replaySimulation',
  method: 'post',
  path: '/v1/sim-engine/simulations/{id}/replay',
  summary: 'Compute every turn again from what was decided, and compare the hashes of its states',
  responses: {
    200: { description: 'Whether all came out the same', schema: REPLAY },
    404: DOCUMENTED_ERROR.native('No such simulation in this workspace'),
  },
  handle: async (call) => {
    const options = { ...optionsOf(call), timeoutMs: COMPUTE_TIMEOUT_MS };
    const replayed = await simulations.replay(
      { simulationId: SIMULATION_ID.read(call.params.id) },
      options,
    );
    return { status: 200, json: encodeReplay(replayed) };
  },
});
