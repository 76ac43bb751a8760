import { afterEach, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import {
  AddScenarioResponseSchema,
  CreateSimulationResponseSchema,
  DeleteSimulationResponseSchema,
  FinalizeResponseSchema,
  ForecastResponseSchema,
  GetReportResponseSchema,
  GetSimulationResponseSchema,
  invalidRequest,
  ListSimulationsResponseSchema,
  ListStatesResponseSchema,
  notFound,
  ReplayResponseSchema,
  UpdateScenarioResponseSchema,
} from '@witan/contracts';
import type { SimulationService } from '@witan/contracts/services';
import { parseExactly } from '@witan/dialects';
import { commit } from '@witan/proof';
import type { CallOptions, Client } from '@witan/service-kit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openRoutes } from '../../../test/open-routes.ts';
import type { OpenRoutes } from '../../../test/open-routes.ts';
import { EXACT, SCENARIO, SIMULATION, STATE } from '../../../test/simulation-messages.ts';
import type { JsonSchema } from '../../http/route.ts';
import { toOpenapi } from '../../docs/to-openapi.ts';
import { simulationRoutes } from './simulations.ts';

const open: OpenRoutes[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((routes) => routes[Symbol.asyncDispose]()));
});

const TIMEOUT_MS = 5_000;
const LIST = '/v1/sim-engine/simulations';
const ONE = `${LIST}/sim_1`;
const REPORT = { report: { summary: 'It grew.', facts: '{}' } };
const PATH = { revenue: [1], cash: [2], marketShare: [0.5] };
const INTERVAL = { low: PATH, high: PATH };

const REFERENCE = {
  info: { title: 'Test', version: '1', description: '' },
  tags: [],
  names: new Map(),
  examples: {},
  webhooks: {},
};

type RecordedCall = { rpc: string; request: Record<string, unknown>; options: CallOptions };

const RESULTS: Readonly<Record<string, () => unknown>> = {
  createSimulation: () => create(CreateSimulationResponseSchema, { simulation: SIMULATION }),
  listSimulations: () =>
    create(ListSimulationsResponseSchema, { simulations: [SIMULATION], nextCursor: 'sim_1' }),
  getSimulation: () =>
    create(GetSimulationResponseSchema, {
      simulation: SIMULATION,
      scenarios: [SCENARIO],
      states: [STATE],
    }),
  deleteSimulation: () => create(DeleteSimulationResponseSchema),
  addScenario: () => create(AddScenarioResponseSchema, { scenario: SCENARIO }),
  updateScenario: () => create(UpdateScenarioResponseSchema, { scenario: SCENARIO }),
  finalize: () => create(FinalizeResponseSchema, REPORT),
  getReport: () => create(GetReportResponseSchema, REPORT),
  listStates: () => create(ListStatesResponseSchema, { states: [STATE] }),
  forecast: () =>
    create(ForecastResponseSchema, {
      turns: 1,
      runs: 10,
      percentiles: { p5: PATH, p25: PATH, p50: PATH, p75: PATH, p95: PATH },
      intervals: { p5: INTERVAL, p25: INTERVAL, p50: INTERVAL, p75: INTERVAL, p95: INTERVAL },
    }),
  replay: () => create(ReplayResponseSchema, { matches: true, turns: 2 }),
};

const openSimulations = async (failure?: Error) => {
  const seen: RecordedCall[] = [];
  const rpcs = Object.entries(RESULTS).map(([rpc, response]) => [
    rpc,
    async (request: RecordedCall['request'], options: CallOptions) => {
      seen.push({ rpc, request, options });
      if (failure) throw failure;
      return response();
    },
  ]);
  const simulations = Object.fromEntries(rpcs) as Client<typeof SimulationService>;
  const declared = simulationRoutes(simulations, TIMEOUT_MS);
  const routes = await openRoutes(declared);
  open.push(routes);
  const schemaOf = (operation: string, status: number): JsonSchema =>
    declared.find(({ method, path }) => `${method} ${path}` === operation)!.responses[status]!
      .schema!;
  return { send: routes.send, seen, schemaOf, document: toOpenapi(declared, REFERENCE) };
};

type Documented = {
  paths: Record<string, Record<string, { requestBody?: { required: boolean } }>>;
};

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
ajv.addFormat('date-time', true);

const MINIMAL = { name: 'North', turnUnit: 'year', companyBase: { revenue: 1 } };
const SIM = '/v1/sim-engine/simulations';

describe('the calls of the simulation engine', () => {
  it.each([
    ['post', SIM, '', MINIMAL, 201, 'createSimulation'],
    ['get', SIM, '?limit=1', undefined, 200, 'listSimulations'],
    ['get', `${SIM}/{id}`, '', undefined, 200, 'getSimulation'],
    ['post', `${SIM}/{id}/scenarios`, '', { name: 'Recession' }, 201, 'addScenario'],
    ['patch', `${SIM}/{id}/scenarios/{scenarioId}`, '', {}, 200, 'updateScenario'],
    ['get', `${SIM}/{id}/states`, '?fromTurn=1', undefined, 200, 'listStates'],
    ['post', `${SIM}/{id}/forecast`, '', {}, 200, 'forecast'],
    ['post', `${SIM}/{id}/replay`, '', undefined, 200, 'replay'],
    ['post', `${SIM}/{id}/finalize`, '', {}, 200, 'finalize'],
    ['get', `${SIM}/{id}/report`, '', undefined, 200, 'getReport'],
  ])(
    'return a response that matches the documentation: %s %s%s',
    async (method, path, query, body, status, rpc) => {
      const { send, seen, schemaOf } = await openSimulations();
      const url = path.replace('{id}', 'sim_1').replace('{scenarioId}', 'scn_1');
      const headers = { 'x-request-id': 'req_12345678' };
      const sending = { method: method.toUpperCase(), headers, ...(body && { body }) };
      const response = await send(url + query, sending);
      const json: unknown = await response.json();
      expect([response.status, json]).toEqual([status, expect.anything()]);
      ajv.validate(schemaOf(`${method} ${path}`, status), json);
      expect(ajv.errors).toBeNull();
      const { options, ...asked } = seen[0]!;
      expect([seen.length, asked.rpc, options.workspaceId, options.requestId]).toEqual([
        1,
        rpc,
        'ws_1',
        'req_12345678',
      ]);
    },
  );

  it('document an optional body if no member is required', async () => {
    const { document } = await openSimulations();
    const { paths } = document as Documented;
    const bodies = Object.entries(paths).flatMap(([path, { post }]) =>
      post?.requestBody ? [[path.slice(SIM.length), post.requestBody.required]] : [],
    );
    expect(Object.fromEntries(bodies)).toEqual({
      '': true,
      '/{id}/scenarios': true,
      '/{id}/advance': false,
      '/{id}/forecast': false,
      '/{id}/finalize': false,
    });
  });

  it('return 204 when a simulation is deleted', async () => {
    const { send, seen } = await openSimulations();
    const response = await send(ONE, { method: 'DELETE' });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(seen).toMatchObject([{ rpc: 'deleteSimulation', request: { simulationId: 'sim_1' } }]);
  });

  it.each([
    ['GET', '/v1/sim-engine/simulations/agt_1'],
    ['DELETE', '/v1/sim-engine/simulations/sim%201'],
    ['POST', '/v1/sim-engine/simulations/x/replay'],
    ['POST', '/v1/sim-engine/simulations/x/advance'],
    ['POST', '/v1/sim-engine/simulations/x/finalize'],
    ['GET', '/v1/sim-engine/simulations/x/report'],
    ['PATCH', `${ONE}/scenarios/x`],
    ['GET', `${ONE}/states?scenarioId=x`],
  ])('return 404 for a malformed id: %s %s', async (method, path) => {
    const { send, seen } = await openSimulations();
    const body = method === 'PATCH' ? { body: {} } : {};
    expect((await send(path, { method, ...body })).status).toBe(404);
    expect(seen).toEqual([]);
  });

  it("pass on the service's errors", async () => {
    const refusal = invalidRequest('revenue is too large.', { param: 'companyBase.revenue' });
    const refused = await (await openSimulations(refusal)).send(LIST, { body: MINIMAL });
    const { error } = (await refused.json()) as { error: object };
    expect([refused.status, error]).toMatchObject([400, { param: 'companyBase.revenue' }]);
    const none = await openSimulations(notFound('There is no report yet.'));
    expect((await none.send(`${ONE}/report`)).status).toBe(404);
  });
});

describe('invalid fields found by the service', () => {
  const invalidFields = [
    { path: 'companyBase.revenue', message: 'must be a number.' },
    { path: 'companyBase.cash', message: 'must be from 0 to 1000.' },
  ];

  it.each([
    ['POST', LIST, MINIMAL],
    ['POST', `${ONE}/scenarios`, { name: 'x' }],
    ['PATCH', `${ONE}/scenarios/scn_1`, {}],
  ])('are all reported: %s %s', async (method, path, body) => {
    const refusal = invalidRequest('Two.', { faults: JSON.stringify(invalidFields) });
    const refused = await (await openSimulations(refusal)).send(path, { method, body });
    const { error } = (await refused.json()) as { error: object };
    const expected = { param: 'companyBase.revenue', details: invalidFields };
    expect([refused.status, error]).toMatchObject([400, expected]);
  });
});

describe('a new simulation', () => {
  const make = async (body: object) => {
    const { send, seen } = await openSimulations();
    const response = await send(LIST, { body });
    return {
      response,
      seen,
      error: ((await response.clone().json()) as { error: InvalidField }).error,
    };
  };
  type InvalidField = { code: string; param: string };

  it('preserves its base as written, in request and response', async () => {
    const routes = await openSimulations();
    const text = `{"name":"North","turnUnit":"year","companyBase":${EXACT}}`;
    const response = await routes.send(LIST, { body: parseExactly(text) as object });
    expect(response.status).toBe(201);
    expect(routes.seen[0]!.request.companyBase).toBe(EXACT);
    expect(await response.text()).toContain(`"companyBase":${EXACT}`);
  });

  it('has no description, horizon or seed by default', async () => {
    const { seen } = await make({ ...MINIMAL, description: null, horizonTurns: null });
    const settled = { description: '', horizonTurns: 0, seed: undefined };
    expect(seen[0]!.request).toEqual({ ...MINIMAL, ...settled, companyBase: '{"revenue":1}' });
    const given = { description: 'x', horizonTurns: 4, seed: Number.MAX_SAFE_INTEGER };
    const full = await make({ ...MINIMAL, ...given });
    const seed = 9_007_199_254_740_991n;
    expect(full.seen[0]!.request).toMatchObject({ description: 'x', horizonTurns: 4, seed });
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name that is too long', { name: 'a'.repeat(201) }, 'name'],
    ['half a character', { name: 'a\ud800' }, 'name'],
    ['a description with NUL', { description: 'a\0b' }, 'description'],
    ['no turn unit', { turnUnit: undefined }, 'turnUnit'],
    ['an unknown turn unit', { turnUnit: 'month' }, 'turnUnit'],
    ['no base', { companyBase: undefined }, 'companyBase'],
    ['a base that is a list', { companyBase: [] }, 'companyBase'],
    ['a base that is null', { companyBase: null }, 'companyBase'],
    ['no turns', { horizonTurns: 0 }, 'horizonTurns'],
    ['half a turn', { horizonTurns: 1.5 }, 'horizonTurns'],
    ['a negative seed', { seed: -1 }, 'seed'],
    ['a seed beyond 2^53 - 1', { seed: 2 ** 53 }, 'seed'],
    ['a seed that is no number', { seed: '7' }, 'seed'],
  ])('is refused with %s', async (_name, bad, param) => {
    const { response, seen, error } = await make({ ...MINIMAL, ...bad });
    expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', param]);
    expect(seen).toEqual([]);
  });
});

describe('a scenario', () => {
  it('is added with its parameters as written', async () => {
    const { send, seen } = await openSimulations();
    const parameters = { gdpGrowth: -2, mood: { any: ['thing'] } };
    const body = { name: 'Recession', parameters, fromScenarioId: 'scn_2' };
    await send(`${ONE}/scenarios`, { body });
    await send(`${ONE}/scenarios`, { body: { name: 'Plain', description: 'x' } });
    expect(seen.map(({ request }) => request)).toEqual([
      {
        simulationId: 'sim_1',
        name: 'Recession',
        description: '',
        parameters: JSON.stringify(parameters),
        fromScenarioId: 'scn_2',
      },
      {
        simulationId: 'sim_1',
        name: 'Plain',
        description: 'x',
        parameters: '',
        fromScenarioId: '',
      },
    ]);
  });

  it('changes only the given members and ignores read-only ones', async () => {
    const { send, seen } = await openSimulations();
    const change = (body: object): Promise<Response> =>
      send(`${ONE}/scenarios/scn_1`, { method: 'PATCH', body });
    const shown = (await (await change({ isActive: false })).json()) as { scenario: object };
    const response = await change({ ...shown.scenario, description: null });
    expect([response.status, response.headers.has('x-service-ignored-fields')]).toEqual([
      200,
      false,
    ]);
    const of = { simulationId: 'sim_1', scenarioId: 'scn_1' };
    expect(seen.map(({ request }) => request)).toEqual([
      { ...of, isActive: false },
      {
        ...of,
        name: 'Recession',
        description: '',
        parameters: '{"gdpGrowth":-2,"mood":"grim"}',
        isActive: true,
      },
    ]);
  });

  it.each([
    ['no name', {}, 400, 'name'],
    ['parameters that are a list', { name: 'x', parameters: [] }, 400, 'parameters'],
    ['what is no scenario', { name: 'x', fromScenarioId: 'sim_1' }, 404, 'fromScenarioId'],
  ])('is refused with %s', async (_name, body, status, param) => {
    const { send, seen } = await openSimulations();
    const response = await send(`${ONE}/scenarios`, { body });
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([status, param]);
    expect(seen).toEqual([]);
  });
});

describe('the read routes of a simulation', () => {
  it('pass their parameters to the service', async () => {
    const { send, seen } = await openSimulations();
    const page = await (await send(`${LIST}?limit=1&cursor=sim_2`)).json();
    expect(page).toMatchObject({ simulations: [{ id: 'sim_1' }], nextCursor: 'sim_1' });
    await send(`${ONE}/states?scenarioId=scn_1&fromTurn=3&limit=500`);
    await send(`${ONE}/states`);
    await send(`${ONE}/forecast`, { body: { turns: 40, runs: 10, scenarioId: 'scn_1' } });
    await send(`${ONE}/forecast`, { method: 'POST' });
    const of = { simulationId: 'sim_1' };
    expect(seen.map(({ request }) => request)).toEqual([
      { limit: 1, cursor: 'sim_2' },
      { ...of, scenarioId: 'scn_1', fromTurn: 3, limit: 500 },
      { ...of, scenarioId: '', fromTurn: 0, limit: 100 },
      { ...of, scenarioId: 'scn_1', turns: 40, runs: 10 },
      { ...of, scenarioId: '' },
    ]);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=501', 'limit'],
    ['?cursor=x', 'cursor'],
    ['?page=2', 'page'],
  ])('refuse the query %s', async (query, param) => {
    const response = await (await openSimulations()).send(LIST + query);
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([400, param]);
  });

  it.each([
    ['no turn', { turns: 0 }, 'turns'],
    ['too many turns', { turns: 41 }, 'turns'],
    ['too few runs', { runs: 9 }, 'runs'],
    ['too many runs', { runs: 10_001 }, 'runs'],
  ])('refuse a forecast with %s', async (_name, body, param) => {
    const response = await (await openSimulations()).send(`${ONE}/forecast`, { body });
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([400, param]);
  });
});

describe('a finalized simulation', () => {
  it('is requested with a commitment to the body and a long timeout', async () => {
    const { send, seen } = await openSimulations();
    const response = await send(`${ONE}/finalize`, { body: { note: 1 } });
    expect(response.headers.get('x-service-ignored-fields')).toBe('note');
    await send(`${ONE}/finalize`, { method: 'POST' });
    const simulationId = 'sim_1';
    expect(seen.map(({ request }) => request)).toEqual([
      { simulationId, requestSha256: commit({ note: 1 }) },
      { simulationId, requestSha256: commit({}) },
    ]);
    expect(seen[0]!.options.timeoutMs).toBe(TIMEOUT_MS);
  });
});
