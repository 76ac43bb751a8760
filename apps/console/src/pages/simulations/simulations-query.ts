import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type ListedSimulation = Schemas['ListSimulationsAnswer']['simulations'][number];
export type Simulation = Schemas['GetSimulationAnswer']['simulation'];
export type Scenario = Schemas['Scenario'];
export type State = Schemas['StatesAnswer']['states'][number];
export type Forecast = Schemas['ForecastSimulationAnswer']['forecast'];
export type SimulationReport = Schemas['ReportAnswer']['report'];
/** The body of a new simulation; its company is an open object, which the schema leaves open. */
export type NewSimulation = Omit<Schemas['CreateSimulationRequest'], 'companyBase'> & {
  companyBase: object;
};
export type ScenarioDraft = {
  name: string;
  description: string | null;
  parameters: object;
  fromScenarioId?: string;
};

const PAGE = 100;

/** Most states that one call of the API returns. */
export const STATES_MAX = 500;

const FORECAST_RUNS = 1_000;

/** All simulations of the workspace, newest first. */
export const simulationsQuery = infiniteQueryOptions({
  queryKey: ['simulations'],
  queryFn: ({ pageParam: cursor, signal }) =>
    dataOf(
      api.GET('/v1/sim-engine/simulations', { params: { query: { limit: PAGE, cursor } }, signal }),
    ),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

const pathOf = (id: string) => ({ params: { path: { id } } });

export const simulationQuery = (id: string) =>
  queryOptions({
    queryKey: ['simulation', id],
    queryFn: async ({ signal }) => {
      const path = '/v1/sim-engine/simulations/{id}';
      return (await dataOf(api.GET(path, { ...pathOf(id), signal }))).simulation;
    },
  });

/** The newest states of all scenarios, at most STATES_MAX, oldest turn first. */
export const historyQuery = (id: string) =>
  queryOptions({
    queryKey: ['simulation', id, 'states'],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: STATES_MAX } };
      const path = '/v1/sim-engine/simulations/{id}/states';
      const { states } = await dataOf(api.GET(path, { params, signal }));
      return states.toSorted((a, b) => a.turn - b.turn);
    },
  });

export const reportQuery = (id: string) =>
  queryOptions({
    queryKey: ['simulation', id, 'report'],
    queryFn: async ({ signal }) => {
      const path = '/v1/sim-engine/simulations/{id}/report';
      return (await dataOf(api.GET(path, { ...pathOf(id), signal }))).report;
    },
    staleTime: Infinity,
  });

type ForecastKey = { id: string; scenarioId: string; turns: number; currentTurn: number };

/** `currentTurn` is part of the key, because each turn has another forecast. */
export const forecastQuery = ({ id, scenarioId, turns, currentTurn }: ForecastKey) =>
  queryOptions({
    queryKey: ['simulation', id, 'forecast', { scenarioId, turns, currentTurn }],
    queryFn: async ({ signal }) => {
      const body = { scenarioId, turns, runs: FORECAST_RUNS };
      const path = '/v1/sim-engine/simulations/{id}/forecast';
      return (await dataOf(api.POST(path, { ...pathOf(id), body, signal }))).forecast;
    },
  });

export const createSimulation = async (body: NewSimulation) =>
  (await dataOf(api.POST('/v1/sim-engine/simulations', { body: body as never }))).simulation;

export const addScenario = (id: string, body: ScenarioDraft) =>
  dataOf(
    api.POST('/v1/sim-engine/simulations/{id}/scenarios', { ...pathOf(id), body: body as never }),
  );

export type ScenarioChange = Partial<Omit<ScenarioDraft, 'fromScenarioId'>> & {
  isActive?: boolean;
};

export const changeScenario = (
  { simulationId: id, id: scenarioId }: Pick<Scenario, 'id' | 'simulationId'>,
  body: ScenarioChange,
) =>
  dataOf(
    api.PATCH('/v1/sim-engine/simulations/{id}/scenarios/{scenarioId}', {
      params: { path: { id, scenarioId } },
      body: body as never,
    }),
  );

export const finalizeSimulation = (id: string) =>
  dataOf(api.POST('/v1/sim-engine/simulations/{id}/finalize', { ...pathOf(id), body: {} }));

export const replaySimulation = (id: string) =>
  dataOf(api.POST('/v1/sim-engine/simulations/{id}/replay', pathOf(id)));

/** Loads again all that is known of a simulation, and the list. */
export const refreshSimulation = async (client: QueryClient, id: string): Promise<void> => {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['simulation', id] }),
    client.invalidateQueries({ queryKey: simulationsQuery.queryKey }),
  ]);
};
