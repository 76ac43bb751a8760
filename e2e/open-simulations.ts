import { expect } from '@jest/globals';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient, RequestOptions } from './http-client.ts';
import type { FixtureOptions } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

export const LIST_PATH = '/v1/sim-engine/simulations';
export const ITEM_PATH = `${LIST_PATH}/{id}`;
export const SCENARIOS_PATH = `${ITEM_PATH}/scenarios`;
export const SCENARIO_PATH = `${SCENARIOS_PATH}/{scenarioId}`;
export const ADVANCE_PATH = `${ITEM_PATH}/advance`;
export const STATES_PATH = `${ITEM_PATH}/states`;
export const FINALIZE_PATH = `${ITEM_PATH}/finalize`;
export const REPORT_PATH = `${ITEM_PATH}/report`;

export type Levers = Readonly<Record<string, number>>;
export type State = {
  id: string;
  scenarioId: string;
  turn: number;
  companyState: Record<string, number>;
  worldState: Record<string, number>;
  events: { label: string; impact: string }[];
  decisions: {
    levers: Levers;
    fallback: boolean;
    absentAgents: string[];
    proposals: { agentName: string; levers: Levers; confidence: number }[];
  };
  stateHash: string;
  proofs: string[];
};
export type Advanced = {
  states: State[];
  currentTurn: number;
  finalized: boolean;
  usage: { totalTokens: number };
  proofs: string[];
};
export type Scenario = { id: string; name: string; isActive: boolean; forkedAtTurn: number };
export type Simulation = {
  id: string;
  name: string;
  currentTurn: number;
  status: string;
  seed: number;
  companyBase: Record<string, unknown>;
  assumptions: string[];
  scenarios: Scenario[];
  states: State[];
};

export const COMPANY = {
  sector: 'saas',
  revenue: 2_400_000,
  employees: 24,
  burn: 60_000,
  cash: 1_500_000,
};

type Ids = { id?: string; scenarioId?: string };

/** A client with its own workspace. */
export type SimulationClient = {
  client: HttpClient;
  apiKey: string;
  workspaceId: string;
  /** Calls an operation with the client's API key; `init` may add headers. */
  call: (operation: string, ids?: Ids, init?: RequestOptions) => Promise<Answer>;
  /**
   * Creates a quarterly simulation of `COMPANY`; `overrides` replaces members of the body. Returns
   * the simulation's id.
   */
  createSimulation: (overrides?: object) => Promise<string>;
  createScenario: (id: string, overrides?: object) => Promise<string>;
  /** Advances a simulation by one turn and expects success. */
  advance: (id: string) => Promise<Advanced>;
  read: (id: string) => Promise<Simulation>;
};

export type Simulations = AsyncDisposable & {
  api: DocumentedApi;
  createClient: (personas?: readonly object[], scopes?: string[]) => Promise<SimulationClient>;
};

/** Opens a system; `fallback` answers the model calls of its agents. */
export const openSimulations = async (options: FixtureOptions): Promise<Simulations> => {
  const api = await openDocumentedApi(options);
  return {
    api,
    createClient: async (personas = [], scopes) => {
      const key = await api.keys.makeKey(scopes);
      const client = createHttpClient(key);
      for (const body of personas) {
        expect((await client.send('/v1/agents', { body })).status).toBe(201);
      }
      const { apiKey, workspaceId } = key;
      return { ...createSimulationClient(api, client, apiKey), client, apiKey, workspaceId };
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
};

const createSimulationClient = (api: DocumentedApi, client: HttpClient, apiKey: string) => {
  const call: SimulationClient['call'] = (operation, ids, { headers, ...init } = {}) =>
    api.call(client, operation, ids, {
      ...init,
      headers: { 'x-api-key': apiKey, ...headers },
    });
  const callAndExpect = async (
    status: number,
    ...asked: Parameters<typeof call>
  ): Promise<unknown> => {
    const answer = await call(...asked);
    expect([asked[0], answer.status, answer.text]).toEqual([asked[0], status, expect.anything()]);
    return answer.json;
  };
  return {
    call,
    createSimulation: async (overrides: object = {}) => {
      const body = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY, ...overrides };
      const created = await callAndExpect(201, `POST ${LIST_PATH}`, {}, { body });
      return (created as { simulation: Simulation }).simulation.id;
    },
    createScenario: async (id: string, overrides: object = {}) => {
      const created = await callAndExpect(
        201,
        `POST ${SCENARIOS_PATH}`,
        { id },
        { body: { name: 'x', ...overrides } },
      );
      return (created as { scenario: Scenario }).scenario.id;
    },
    advance: async (id: string) =>
      (await callAndExpect(200, `POST ${ADVANCE_PATH}`, { id })) as Advanced,
    read: async (id: string) =>
      ((await callAndExpect(200, `GET ${ITEM_PATH}`, { id })) as { simulation: Simulation })
        .simulation,
  };
};
