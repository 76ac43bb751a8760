import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectNativeRefusal } from './expect-refusal.ts';
import type { Answer } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import {
  ADVANCE_PATH,
  COMPANY,
  FINALIZE_PATH,
  LIST_PATH,
  ITEM_PATH,
  openSimulations,
  REPORT_PATH,
  SCENARIO_PATH,
  SCENARIOS_PATH,
  STATES_PATH,
} from './open-simulations.ts';
import type {
  Advanced,
  SimulationClient,
  Simulation,
  Simulations,
  State,
} from './open-simulations.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HASH = /^[0-9a-f]{64}$/;
const NOT_FOUND = [404, 'not_found'];

describe.each(TRANSPORTS)('simulations, services over %s', (transport) => {
  let simulations: Simulations;

  beforeAll(async () => {
    simulations = await openSimulations({ transport });
  });
  afterAll(async () => {
    await simulations[Symbol.asyncDispose]();
  });

  const createClient: Simulations['createClient'] = (...asked) =>
    simulations.createClient(...asked);
  const codeOf = ({ status, json }: Answer): [number, string] => [
    status,
    (json as { error: { code: string } }).error.code,
  ];

  it('are created, listed newest first, read and deleted', async () => {
    const caller = await createClient();
    const body = { name: 'North', turnUnit: 'year', companyBase: COMPANY, more: 1 };
    const created = await caller.call(`POST ${LIST_PATH}`, {}, { body });
    expect(created.headers.get('x-service-ignored-fields')).toBe('more');
    const { simulation } = created.json as { simulation: Simulation };
    expect(simulation).toEqual({
      id: expect.stringMatching(/^sim_/),
      name: 'North',
      description: null,
      turnUnit: 'year',
      currentTurn: 0,
      status: 'active',
      horizonTurns: null,
      seed: expect.any(Number),
      companyBase: COMPANY,
      assumptions: expect.any(Array),
      modelVersion: expect.any(String),
      createdAt: expect.stringMatching(INSTANT),
    });
    const firstId = simulation.id;
    const secondId = await caller.createSimulation({ name: 'South' });
    const list = await caller.call(`GET ${LIST_PATH}`);
    const commonMembers = { currentTurn: 0, createdAt: expect.anything(), _count: { states: 0 } };
    expect(list.json).toEqual({
      simulations: [
        { ...commonMembers, id: secondId, name: 'South', turnUnit: 'quarter' },
        { ...commonMembers, id: firstId, name: 'North', turnUnit: 'year' },
      ],
    });
    const page = await caller.client.send(`${LIST_PATH}?limit=1`);
    expect(page.json).toMatchObject({ simulations: [{ id: secondId }], nextCursor: secondId });
    const next = await caller.client.send(`${LIST_PATH}?limit=1&cursor=${secondId}`);
    expect((next.json as { simulations: object[] }).simulations).toMatchObject([{ id: firstId }]);
    expect(next.json).not.toHaveProperty('nextCursor');
    expect(await caller.read(firstId)).toEqual({
      ...simulation,
      scenarios: [],
      states: [],
    });
    expect((await caller.call(`DELETE ${ITEM_PATH}`, { id: firstId })).status).toBe(204);
    for (const operation of [`GET ${ITEM_PATH}`, `DELETE ${ITEM_PATH}`, `POST ${ADVANCE_PATH}`]) {
      expect(codeOf(await caller.call(operation, { id: firstId }))).toEqual(NOT_FOUND);
    }
  });

  it('return unknown members of company and parameters unchanged', async () => {
    const caller = await createClient();
    const unknown =
      '"motto":"a\\u0000b \\ud800","__proto__":{"a":[1.5,{}]},"ratio":0.10,"constructor":1e-7,' +
      '"account":9007199254740993';
    const companyBase = `{"revenue":1200000.25,"employees":12,${unknown}}`;
    const body = `{"name":"North","turnUnit":"quarter","companyBase":${companyBase}}`;
    const created = await caller.call(`POST ${LIST_PATH}`, {}, { body });
    expect([created.status, created.text]).toEqual([201, expect.stringContaining(companyBase)]);
    const { id } = (created.json as { simulation: { id: string } }).simulation;
    expect((await caller.call(`GET ${ITEM_PATH}`, { id })).text).toContain(companyBase);
    const parametersText = '"parameters":{"gdpGrowth":-2.0,"mood":{"of":[12345678901234567890]}}';
    const scenarioBody = `{"name":"Bust",${parametersText}}`;
    const added = await caller.call(`POST ${SCENARIOS_PATH}`, { id }, { body: scenarioBody });
    expect(added.text).toContain(parametersText);
    expect(added.json).toMatchObject({ scenario: { ignoredParameters: ['mood'] } });
    const advanced = await caller.call(`POST ${ADVANCE_PATH}`, { id });
    expect([advanced.status, advanced.text]).toEqual([200, expect.stringContaining(unknown)]);
  });

  it.each([
    ['revenue as a string', { revenue: '2400000' }, 'companyBase.revenue'],
    ['revenue beyond the maximum', { revenue: 1e308 }, 'companyBase.revenue'],
    ['a negative number of employees', { employees: -0.5 }, 'companyBase.employees'],
  ])('are refused with %s', async (_name, bad, param) => {
    const body = { name: 'x', turnUnit: 'year', companyBase: { ...COMPANY, ...bad } };
    const answer = await (await createClient()).call(`POST ${LIST_PATH}`, {}, { body });
    const { error } = answer.json as { error: { code: string; param: string } };
    expect([answer.status, error.code, error.param]).toEqual([400, 'invalid_request', param]);
  });

  it('are refused with every invalid field of company and world', async () => {
    const caller = await createClient();
    const companyBase = { revenue: '1', employees: 0, cash: -1, mood: 'x', burn: [] };
    const invalidBody = { name: 'x', turnUnit: 'year', companyBase };
    const message = expect.any(String);
    const invalidFields = (object: string, names: string[]): object[] =>
      names.map((name) => ({ path: `${object}.${name}`, message }));
    const refusal = { status: 400, code: 'invalid_request' };
    expectNativeRefusal(
      await caller.call(`POST ${LIST_PATH}`, {}, { body: invalidBody }),
      { ...refusal, param: 'companyBase.revenue' },
      invalidFields('companyBase', ['revenue', 'employees', 'cash', 'burn']),
    );
    const id = await caller.createSimulation();
    const parameters = { gdpGrowth: 900, taxRate: 'low', regime: 'golden' };
    const body = { name: 'x', parameters };
    expectNativeRefusal(
      await caller.call(`POST ${SCENARIOS_PATH}`, { id }, { body }),
      { ...refusal, param: 'parameters.gdpGrowth' },
      invalidFields('parameters', ['gdpGrowth', 'taxRate', 'regime']),
    );
  });

  it('return 404 for unknown ids, without naming a field of the body', async () => {
    const caller = await createClient();
    const id = await caller.createSimulation();
    const missing = { status: 404, code: 'not_found', param: null };
    const ids = { id: 'sim_1', scenarioId: 'scn_1' };
    const operations = [
      `GET ${ITEM_PATH}`,
      `POST ${ADVANCE_PATH}`,
      `POST ${FINALIZE_PATH}`,
      `GET ${REPORT_PATH}`,
    ];
    for (const operation of operations) {
      expectNativeRefusal(await caller.call(operation, ids), missing);
    }
    expectNativeRefusal(await caller.call(`GET ${REPORT_PATH}`, { id }), missing);
    const change = await caller.call(
      `PATCH ${SCENARIO_PATH}`,
      { ...ids, id },
      { body: { name: 'x' } },
    );
    expectNativeRefusal(change, missing);
    const body = { scenarioId: 'scn_1' };
    const forecast = await caller.call(`POST ${ITEM_PATH}/forecast`, { id }, { body });
    expectNativeRefusal(forecast, { ...missing, param: 'scenarioId' });
  });

  it('are shown to keys that may read, and created by keys that may write', async () => {
    const reader = await createClient([], ['sim-engine:read']);
    expect((await reader.call(`GET ${LIST_PATH}`)).json).toEqual({ simulations: [] });
    const refusal = { status: 403, code: 'insufficient_scope', param: 'sim-engine' };
    for (const operation of [
      `POST ${LIST_PATH}`,
      `POST ${ADVANCE_PATH}`,
      `POST ${FINALIZE_PATH}`,
    ]) {
      const answer = await reader.call(operation, { id: 'sim_1' }, { body: {} });
      expectNativeRefusal(answer, refusal);
    }
  });

  describe('after some turns', () => {
    let caller: SimulationClient;
    let id: string;
    let calmId: string;
    let bustId: string;
    const turns: Advanced[] = [];

    beforeAll(async () => {
      caller = await createClient();
      id = await caller.createSimulation({ seed: 7 });
      calmId = await caller.createScenario(id, { name: 'Calm' });
      bustId = await caller.createScenario(id, {
        name: 'Bust',
        parameters: { gdpGrowth: -4 },
      });
      for (let turn = 0; turn < 3; turn += 1) turns.push(await caller.advance(id));
    });

    it('have a state for each scenario and turn', async () => {
      turns.forEach(({ states, currentTurn, finalized }, at) => {
        expect([currentTurn, finalized]).toEqual([at + 1, false]);
        const pairs = states.map(({ scenarioId, turn }) => [scenarioId, turn]);
        expect(pairs).toHaveLength(2);
        expect(pairs).toEqual(expect.arrayContaining([calmId, bustId].map((one) => [one, at + 1])));
      });
      const [state] = turns[0]!.states;
      expect(state).toMatchObject({
        id: expect.stringMatching(/^sta_/),
        stateHash: expect.stringMatching(HASH),
        companyState: { revenue: expect.any(Number), employees: expect.any(Number) },
        worldState: { gdpGrowth: expect.any(Number), inflationRate: expect.any(Number) },
      });
      const { states, currentTurn } = await caller.read(id);
      const newest = turns.toReversed().map((one) => one.states);
      expect([currentTurn, states.length]).toEqual([3, 6]);
      expect(states.map(({ turn }) => turn)).toEqual([3, 3, 2, 2, 1, 1]);
      expect(states.toSorted(byId)).toEqual(newest.flat().toSorted(byId));
      const list = await caller.call(`GET ${LIST_PATH}`);
      expect(list.json).toMatchObject({ simulations: [{ currentTurn: 3, _count: { states: 6 } }] });
    });

    it('use the same random events in every scenario, except for its parameters', () => {
      const of = (scenarioId: string): State =>
        turns.at(-1)!.states.find((one) => one.scenarioId === scenarioId)!;
      expect(of(bustId).worldState.gdpGrowth).toBe(-4);
      expect(of(bustId).companyState.revenue).toBeLessThan(of(calmId).companyState.revenue!);
    });

    it('return their history by scenario and turn', async () => {
      const ask = async (query: string): Promise<[string, number][]> => {
        const answer = await caller.client.send(STATES_PATH.replace('{id}', id) + query);
        expect([query, answer.status]).toEqual([query, 200]);
        const { states } = answer.json as { states: State[] };
        return states.map(({ scenarioId, turn }) => [scenarioId, turn]);
      };
      expect(await ask(`?scenarioId=${bustId}&fromTurn=2`)).toEqual([
        [bustId, 3],
        [bustId, 2],
      ]);
      expect(await ask(`?scenarioId=${calmId}&limit=1`)).toEqual([[calmId, 3]]);
      expect(await ask('?fromTurn=4')).toEqual([]);
      expect(await ask('')).toHaveLength(6);
    });

    it('replay to the same states without a model', async () => {
      const before = simulations.api.fixture.calls().length;
      const answer = await caller.call(`POST ${ITEM_PATH}/replay`, { id });
      expect(answer.json).toEqual({ matches: true, turns: 3, mismatches: [] });
      expect(simulations.api.fixture.calls()).toHaveLength(before);
    });

    it('have the same forecast each time', async () => {
      const ask = () =>
        caller.call(`POST ${ITEM_PATH}/forecast`, { id }, { body: { turns: 5, runs: 200 } });
      const [first, second] = [await ask(), await ask()];
      expect([first.status, second.text]).toEqual([200, first.text]);
      const { forecast } = first.json as { forecast: Forecast };
      const { p5, p50, p95 } = forecast.percentiles;
      expect([forecast.turns, forecast.runs, p50.cash.length]).toEqual([5, 200, 5]);
      p50.revenue.forEach((middle, turn) => {
        expect(middle).toBeGreaterThanOrEqual(p5.revenue[turn]!);
        expect(middle).toBeLessThanOrEqual(p95.revenue[turn]!);
      });
      const { low, high } = forecast.insolvencyInterval;
      expect(low).toBeLessThanOrEqual(forecast.insolvencyProbability);
      expect(high).toBeGreaterThanOrEqual(forecast.insolvencyProbability);
    });

    it('are equal for equal seeds', async () => {
      const twinId = await caller.createSimulation({ seed: 7 });
      await caller.createScenario(twinId);
      for (const { states } of turns) {
        const [state] = (await caller.advance(twinId)).states;
        const { companyState } = states.find(({ scenarioId }) => scenarioId === calmId)!;
        expect(state!.companyState).toEqual(companyState);
      }
    });

    it('branch from the current state of another scenario', async () => {
      const lateId = await caller.createScenario(id, { fromScenarioId: bustId });
      const { scenarios } = await caller.read(id);
      const added = scenarios.find((one) => one.id === lateId);
      expect(added).toMatchObject({ isActive: true, forkedAtTurn: 3 });
      const change = { body: { isActive: false, name: 'Aside' } };
      const changed = await caller.call(
        `PATCH ${SCENARIO_PATH}`,
        { id, scenarioId: lateId },
        change,
      );
      expect(changed.json).toMatchObject({
        scenario: { id: lateId, name: 'Aside', isActive: false },
      });
      const { states } = await caller.advance(id);
      expect(states.map(({ scenarioId }) => scenarioId).toSorted()).toEqual(
        [calmId, bustId].toSorted(),
      );
      const other = await caller.createSimulation();
      for (const answer of [
        await caller.call(`PATCH ${SCENARIO_PATH}`, { id: other, scenarioId: lateId }, change),
        await caller.call(`PATCH ${SCENARIO_PATH}`, { id, scenarioId: 'scn_1' }, change),
      ]) {
        expect(codeOf(answer)).toEqual(NOT_FOUND);
      }
      const body = { name: 'x', fromScenarioId: lateId };
      const refused = await caller.call(`POST ${SCENARIOS_PATH}`, { id: other }, { body });
      expectNativeRefusal(refused, { status: 404, code: 'not_found', param: 'fromScenarioId' });
    });

    it('end with a report, which is the same every time', async () => {
      expect(codeOf(await caller.call(`GET ${REPORT_PATH}`, { id }))).toEqual(NOT_FOUND);
      const first = await caller.call(`POST ${FINALIZE_PATH}`, { id });
      const again = await caller.call(`POST ${FINALIZE_PATH}`, { id });
      const read = await caller.call(`GET ${REPORT_PATH}`, { id });
      expect([first.status, again.json, read.json]).toEqual([200, first.json, first.json]);
      const { report } = first.json as { report: { summary: string } };
      expect(report.summary).not.toBe('');
      expect(await caller.read(id)).toMatchObject({
        status: 'finalized',
        currentTurn: 4,
      });
      const finalizedError = [409, 'simulation_finalized'];
      expect(codeOf(await caller.call(`POST ${ADVANCE_PATH}`, { id }))).toEqual(finalizedError);
      const body = { name: 'Late' };
      expect(codeOf(await caller.call(`POST ${SCENARIOS_PATH}`, { id }, { body }))).toEqual(
        finalizedError,
      );
    });
  });

  it('have a baseline scenario if none was created, and no disabled scenario', async () => {
    const caller = await createClient();
    const id = await caller.createSimulation();
    expect(codeOf(await caller.call(`POST ${FINALIZE_PATH}`, { id }))).toEqual([
      409,
      'nothing_to_report',
    ]);
    const { states } = await caller.advance(id);
    const { scenarios } = await caller.read(id);
    const scenarioId = states[0]!.scenarioId;
    expect(scenarios).toMatchObject([{ id: scenarioId, name: 'Baseline' }]);
    await caller.call(`PATCH ${SCENARIO_PATH}`, { id, scenarioId }, { body: { isActive: false } });
    for (const accept of ['application/json', 'text/event-stream']) {
      const answer = await caller.call(`POST ${ADVANCE_PATH}`, { id }, { headers: { accept } });
      expect(codeOf(answer)).toEqual([409, 'no_active_scenario']);
    }
  });

  it('advance one turn at a time under concurrent calls', async () => {
    const caller = await createClient();
    const id = await caller.createSimulation();
    const advances = [caller.advance(id), caller.advance(id)];
    const turnsReached = (await Promise.all(advances)).map(({ currentTurn }) => currentTurn);
    expect(new Set(turnsReached)).toEqual(new Set([1, 2]));
    const init = { body: { expectedTurn: 2 } };
    const calls = [1, 2].map(() => caller.call(`POST ${ADVANCE_PATH}`, { id }, init));
    const answers = (await Promise.all(calls)).toSorted((one, other) => one.status - other.status);
    expect(answers[0]!.json).toMatchObject({ currentTurn: 3 });
    expect(codeOf(answers[1]!)).toEqual([409, 'turn_conflict']);
  });

  it('advance once for all calls with one Idempotency-Key', async () => {
    const caller = await createClient();
    const id = await caller.createSimulation();
    const headers = { 'idempotency-key': `advance-${transport}` };
    const first = await caller.call(`POST ${ADVANCE_PATH}`, { id }, { headers });
    const second = await caller.call(`POST ${ADVANCE_PATH}`, { id }, { headers });
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await caller.read(id)).toMatchObject({ currentTurn: 1 });
  });

  it('end at their horizon with a report', async () => {
    const caller = await createClient();
    const id = await caller.createSimulation({ horizonTurns: 2 });
    expect(await caller.advance(id)).toMatchObject({ currentTurn: 1, finalized: false });
    expect(await caller.advance(id)).toMatchObject({ currentTurn: 2, finalized: true });
    expect((await caller.call(`GET ${REPORT_PATH}`, { id })).status).toBe(200);
    const answer = await caller.call(`POST ${ADVANCE_PATH}`, { id });
    expect(codeOf(answer)).toEqual([409, 'simulation_finalized']);
  });
});

type Path = { revenue: number[]; cash: number[]; marketShare: number[] };
type Forecast = {
  turns: number;
  runs: number;
  percentiles: Record<'p5' | 'p50' | 'p95', Path>;
  insolvencyProbability: number;
  insolvencyInterval: { low: number; high: number };
};

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
