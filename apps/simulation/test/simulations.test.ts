import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import {
  advance,
  optionsFor,
  createTestSimulation,
  COMPANY,
  finalize,
  openEnvironment,
} from './open-simulation.ts';
import type { CreatedSimulation, TestSimulation, TestEnvironment } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const TABLES = ['simulation', 'scenario', 'council', 'state', 'report', 'panel_purge', 'outbox'];
const NOT_FOUND = { reason: 'NOT_FOUND' };

describe('simulations', () => {
  let environment: TestEnvironment;
  let service: TestSimulation;
  beforeAll(async () => {
    environment = await openEnvironment();
    service = await environment.start();
    environment.council.script(() => decisionOf({ marketingPct: 12 }));
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await environment[Symbol.asyncDispose]();
  });

  const addScenario = async (
    { workspaceId, simulationId }: CreatedSimulation,
    changes: object = {},
  ) => {
    const request = { simulationId, name: 'Boom', ...changes };
    return (await service.simulations.addScenario(request, optionsFor(workspaceId))).scenario!;
  };
  const read = ({ workspaceId, simulationId }: CreatedSimulation) =>
    service.simulations.getSimulation({ simulationId }, optionsFor(workspaceId));

  it('begin at turn 0 with the given figures and assumptions', async () => {
    const companyBase = { ...COMPANY, founders: ['Ann', 'Bob'], note: 'ünïcode \u0000 \ud800' };
    const { simulation } = await createTestSimulation(service, { companyBase, horizonTurns: 8 });
    expect(simulation).toMatchObject({
      name: 'Acme',
      turnUnit: 'quarter',
      currentTurn: 0,
      status: 'active',
      horizonTurns: 8,
      seed: 7n,
      stateCount: 0,
    });
    expect(simulation.id).toMatch(/^sim_/);
    expect(JSON.parse(simulation.companyBase)).toEqual(companyBase);
    expect(simulation.assumptions.length).toBeGreaterThan(0);
    expect(simulation.modelVersion).not.toBe('');
  });

  it('retain every digit of unknown members, including those in states', async () => {
    const { simulations } = service;
    const unknown =
      '"account":9007199254740993,"rate":0.10,"all":[12345678901234567890,-0,1e400],"__proto__":1';
    const companyBase = `{"revenue":2400000.00,${unknown}}`;
    const draft = { name: 'A', turnUnit: 'quarter', companyBase };
    const workspaceId = newId('ws');
    const { simulation } = await simulations.createSimulation(draft, optionsFor(workspaceId));
    expect(simulation!.companyBase).toBe(companyBase);
    const created = { workspaceId, simulationId: simulation!.id };
    const parameters = '{"gdpGrowth":1.50,"ledger":9007199254740993}';
    expect(await addScenario(created, { parameters })).toMatchObject({
      parameters,
      ignoredParameters: ['ledger'],
    });
    const { states } = await advance(service, created);
    expect(states[0]!.companyState).toContain(unknown);
    expect(JSON.parse(states[0]!.worldState)).toMatchObject({ gdpGrowth: 1.5 });
    const stored = await read(created);
    expect([stored.simulation!.companyBase, stored.scenarios[0]!.parameters]).toEqual([
      companyBase,
      parameters,
    ]);
    expect(stored.states[0]!.companyState).toBe(states[0]!.companyState);
    const request = environment.council.requests.find(
      ({ owner }) => owner === created.simulationId,
    )!;
    expect(request.briefing).toContain('9007199254740993');
  });

  it('reject too large companyBase and parameters', async () => {
    const large = JSON.stringify({ note: 'ä'.repeat(16_380) });
    const draft = { name: 'A', turnUnit: 'quarter', companyBase: large };
    const rejection = service.simulations.createSimulation(draft, optionsFor('ws_1'));
    await expect(rejection).rejects.toMatchObject({ fields: { param: 'companyBase' } });
    const pendingAddition = addScenario(await createTestSimulation(service), { parameters: large });
    await expect(pendingAddition).rejects.toMatchObject({ fields: { param: 'parameters' } });
    const maximum = JSON.stringify({ note: 'ä'.repeat(16_378) });
    const { simulations } = service;
    await simulations.createSimulation({ ...draft, companyBase: maximum }, optionsFor('ws_1'));
  });

  it('derive their seed from the id if none is given', async () => {
    const { simulations } = service;
    const draft = { name: 'A', turnUnit: 'year', companyBase: JSON.stringify(COMPANY) };
    const createSimulation = async () =>
      (await simulations.createSimulation(draft, optionsFor('ws_1'))).simulation!;
    const [one, other] = [await createSimulation(), await createSimulation()];
    expect(one.seed).not.toBe(other.seed);
    expect(one.seed).toBeLessThan(2n ** 53n);
  });

  it.each([
    ['an empty name', { name: ' ' }, 'name'],
    ['a name with NUL', { name: 'a\0' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'name'],
    ['an unknown turn unit', { turnUnit: 'month' }, 'turnUnit'],
    ['a horizon that is too large', { horizonTurns: 1_001 }, 'horizonTurns'],
    ['a seed that is too large', { seed: 2n ** 53n }, 'seed'],
    [
      'a company with a string for a number',
      { companyBase: { revenue: '1M' } },
      'companyBase.revenue',
    ],
    ['a company without bounds', { companyBase: { revenue: 1e308 } }, 'companyBase.revenue'],
  ])('reject %s', async (_, draft, param) => {
    const rejection = createTestSimulation(service, draft);
    await expect(rejection).rejects.toMatchObject({ reason: 'INVALID_REQUEST', fields: { param } });
  });

  it.each(['[]', 'null', '{', '"text"', ''])('reject the company %s', async (companyBase) => {
    const draft = { name: 'A', turnUnit: 'year', companyBase };
    const rejection = service.simulations.createSimulation(draft, optionsFor('ws_1'));
    await expect(rejection).rejects.toMatchObject({ fields: { param: 'companyBase' } });
  });

  it('are listed newest first, in pages', async () => {
    const { workspaceId } = await createTestSimulation(service, { name: 'a' });
    const { simulations } = service;
    for (const name of ['b', 'c']) {
      const draft = { name, turnUnit: 'year', companyBase: JSON.stringify(COMPANY) };
      await simulations.createSimulation(draft, optionsFor(workspaceId));
    }
    const first = await simulations.listSimulations({ limit: 2 }, optionsFor(workspaceId));
    expect(first.simulations.map(({ name }) => name)).toEqual(['c', 'b']);
    expect(first.simulations[0]).toMatchObject({ companyBase: '', assumptions: [] });
    const cursor = first.nextCursor;
    const rest = await simulations.listSimulations({ limit: 2, cursor }, optionsFor(workspaceId));
    expect(rest.simulations.map(({ name }) => name)).toEqual(['a']);
    expect(rest.nextCursor).toBe('');
    const rejection = simulations.listSimulations({ limit: 501 }, optionsFor(workspaceId));
    await expect(rejection).rejects.toMatchObject({ fields: { param: 'limit' } });
  });

  it('return the requested states, newest first', async () => {
    const created = await createTestSimulation(service);
    const first = await addScenario(created, { name: 'A' });
    await addScenario(created, { name: 'B' });
    for (let turn = 0; turn < 3; turn += 1) await advance(service, created);
    const { workspaceId, simulationId } = created;
    const list = async (changes: object) => {
      const request = { simulationId, limit: 500, ...changes };
      const { states } = await service.simulations.listStates(request, optionsFor(workspaceId));
      return states.map(({ turn }) => turn);
    };
    expect(await list({})).toEqual([3, 3, 2, 2, 1, 1]);
    expect(await list({ scenarioId: first.id })).toEqual([3, 2, 1]);
    expect(await list({ fromTurn: 3 })).toEqual([3, 3]);
    expect(await list({ limit: 1 })).toEqual([3]);
    const unknown = { ...NOT_FOUND, fields: { param: 'scenarioId' } };
    await expect(list({ scenarioId: 'scn_none' })).rejects.toMatchObject(unknown);
  });

  it('have scenarios that can be changed, and reject invalid parameters', async () => {
    const created = await createTestSimulation(service);
    const { workspaceId, simulationId } = created;
    const scenario = await addScenario(created, { parameters: '{"gdpGrowth":4,"x":1}' });
    expect(scenario).toMatchObject({ isActive: true, ignoredParameters: ['x'] });
    const update = async (changes: object) => {
      const request = { simulationId, scenarioId: scenario.id, ...changes };
      const { scenario: after } = await service.simulations.updateScenario(
        request,
        optionsFor(workspaceId),
      );
      return after!;
    };
    expect(await update({ name: 'Bust' })).toMatchObject({
      name: 'Bust',
      parameters: '{"gdpGrowth":4,"x":1}',
    });
    const changed = await update({ isActive: false, parameters: '{"gdpGrowth":1}' });
    expect(changed).toMatchObject({ name: 'Bust', isActive: false, ignoredParameters: [] });
    const invalidParameter = { fields: { param: 'parameters.gdpGrowth' } };
    await expect(update({ parameters: '{"gdpGrowth":1e9}' })).rejects.toMatchObject(
      invalidParameter,
    );
    await expect(addScenario(created, { parameters: '{"gdpGrowth":"x"}' })).rejects.toMatchObject(
      invalidParameter,
    );
    await expect(update({ scenarioId: 'scn_none' })).rejects.toMatchObject(NOT_FOUND);
  });

  it('have a maximum number of scenarios', async () => {
    const created = await createTestSimulation(service);
    for (let count = 0; count < 32; count += 1) await addScenario(created);
    const tooManyScenariosError = { reason: 'CONFLICT', fields: { code: 'too_many_scenarios' } };
    await expect(addScenario(created)).rejects.toMatchObject(tooManyScenariosError);
  });

  it('are replayed without agents, and list modified states', async () => {
    const created = await createTestSimulation(service, { turnUnit: 'year' });
    await addScenario(created, { name: 'A' });
    await advance(service, created);
    const branch = await addScenario(created, { name: 'B', parameters: '{"gdpGrowth":-3}' });
    await advance(service, created);
    const { workspaceId, simulationId } = created;
    const change = { simulationId, scenarioId: branch.id, parameters: '{"gdpGrowth":9}' };
    await service.simulations.updateScenario(change, optionsFor(workspaceId));
    const replay = () => service.simulations.replay({ simulationId }, optionsFor(workspaceId));
    const requestCount = environment.council.requests.length;
    expect(await replay()).toMatchObject({ matches: true, turns: 2, mismatches: [] });
    expect(environment.council.requests).toHaveLength(requestCount);
    await environment.query(
      `UPDATE state
       SET decision = replace(decision::text, '"marketingPct":12', '"marketingPct":13')::json
       WHERE simulation_id = $1 AND scenario_id = $2`,
      [simulationId, branch.id],
    );
    expect(await replay()).toMatchObject({ matches: false, mismatches: [`${branch.id}:2`] });
  });

  it('are replayed in full, and list at most 100 mismatches', async () => {
    const created = await createTestSimulation(service);
    const { states } = await advance(service, created);
    const { workspaceId, simulationId } = created;
    // Copies the state of turn 1 to turns 2 to 250. Each copy is a mismatch, because a played turn
    // always changes the state.
    const columns =
      'workspace_id, simulation_id, scenario_id, engine_state, company_state, world_state, ' +
      'events, decision, parameters, state_hash, decisions_hash, model_version, created_at';
    await environment.query(
      `INSERT INTO state (id, turn, ${columns})
       SELECT 'sta_' || later, later, ${columns} FROM state, generate_series(2, 250) AS later
       WHERE simulation_id = $1`,
      [simulationId],
    );
    const replayed = await service.simulations.replay({ simulationId }, optionsFor(workspaceId));
    const { scenarioId } = states[0]!;
    const expectedIds = Array.from({ length: 100 }, (_, index) => `${scenarioId}:${index + 2}`);
    expect(replayed).toMatchObject({ matches: false, mismatches: expectedIds });
  });

  it('have a maximum number of turns, after which they can be finalized', async () => {
    const created = await createTestSimulation(service);
    await advance(service, created);
    const sql = 'UPDATE simulation SET current_turn = 1000 WHERE id = $1';
    await environment.query(sql, [created.simulationId]);
    const refusal = { reason: 'CONFLICT', fields: { code: 'too_many_turns' } };
    await expect(advance(service, created)).rejects.toMatchObject(refusal);
    expect(await finalize(service, created)).toMatchObject({ fromTemplate: true });
  });

  it('are forecast, before and after their first turn', async () => {
    const created = await createTestSimulation(service);
    const { workspaceId, simulationId } = created;
    const forecast = (changes: object = {}) =>
      service.simulations.forecast({ simulationId, ...changes }, optionsFor(workspaceId));
    const first = await forecast();
    expect(first).toMatchObject({ turns: 8, runs: 1_000 });
    expect(Object.keys(first.percentiles).toSorted()).toEqual(['p25', 'p5', 'p50', 'p75', 'p95']);
    const { p5, p95 } = first.percentiles;
    expect(p5!.revenue).toHaveLength(8);
    expect(first.intervals.p5!.low!.revenue.at(-1)!).toBeLessThan(p5!.revenue.at(-1)!);
    expect(first.intervals.p5!.high!.revenue.at(-1)!).toBeGreaterThan(p5!.revenue.at(-1)!);
    expect(p95!.revenue.at(-1)!).toBeGreaterThan(p5!.revenue.at(-1)!);
    expect(await forecast()).toEqual(first);
    await advance(service, created);
    expect(await forecast({ turns: 3, runs: 50 })).toMatchObject({ turns: 3, runs: 50 });
    for (const [param, value] of Object.entries({ turns: 41, runs: 9 })) {
      await expect(forecast({ [param]: value })).rejects.toMatchObject({ fields: { param } });
    }
    await expect(forecast({ scenarioId: 'scn_none' })).rejects.toMatchObject(NOT_FOUND);
  });

  it('are deleted with all their data, including panels', async () => {
    const created = await createTestSimulation(service);
    await advance(service, created);
    await finalize(service, created);
    const { workspaceId, simulationId } = created;
    await service.simulations.deleteSimulation({ simulationId }, optionsFor(workspaceId));
    await expect(read(created)).rejects.toMatchObject(NOT_FOUND);
    for (const table of TABLES.filter((item) => item !== 'outbox')) {
      const rows = await environment.query(`SELECT FROM ${table} WHERE workspace_id = $1`, [
        workspaceId,
      ]);
      expect([table, rows]).toEqual([table, []]);
    }
    expect(environment.council.deleted).toContain(simulationId);
    const secondDeletion = service.simulations.deleteSimulation(
      { simulationId },
      optionsFor(workspaceId),
    );
    await expect(secondDeletion).rejects.toMatchObject(NOT_FOUND);
  });

  it('are deleted without the agents service, and their panels later', async () => {
    const created = await createTestSimulation(service);
    await advance(service, created);
    const { workspaceId, simulationId } = created;
    environment.council.setUnavailable(true);
    await service.simulations.deleteSimulation({ simulationId }, optionsFor(workspaceId));
    expect(environment.council.deleted).not.toContain(simulationId);
    environment.council.setUnavailable(false);
    await environment.query('UPDATE panel_purge SET due_at = clock_timestamp()');
    await using _purgingReplica = await environment.start({ purgeEveryMs: 20 });
    await eventually(() => environment.council.deleted.includes(simulationId));
  });

  it('are deleted while they advance, including the turn', async () => {
    await using replica = await environment.start({ leaseMs: 1_500 });
    const created = await createTestSimulation(service);
    const { workspaceId, simulationId } = created;
    environment.council.script(() => new Promise(() => undefined));
    const running = advance(replica, created).catch((error: unknown) => error);
    const hasPanel = () => environment.council.panels.some(({ owner }) => owner === simulationId);
    await eventually(hasPanel);
    await service.simulations.deleteSimulation({ simulationId }, optionsFor(workspaceId));
    expect(await running).toMatchObject(NOT_FOUND);
    const events = await environment.query('SELECT FROM outbox WHERE workspace_id = $1', [
      workspaceId,
    ]);
    expect(events).toEqual([]);
    environment.council.script(() => decisionOf({}));
  });

  it('are not accessible from other workspaces', async () => {
    const created = await createTestSimulation(service);
    const scenario = await addScenario(created);
    const { simulationId } = created;
    const otherWorkspace = optionsFor(newId('ws'));
    const scenarioId = scenario.id;
    const { simulations } = service;
    const calls = [
      simulations.getSimulation({ simulationId }, otherWorkspace),
      simulations.deleteSimulation({ simulationId }, otherWorkspace),
      simulations.addScenario({ simulationId, name: 'A' }, otherWorkspace),
      simulations.updateScenario({ simulationId, scenarioId, name: 'A' }, otherWorkspace),
      simulations.finalize({ simulationId }, otherWorkspace),
      simulations.getReport({ simulationId }, otherWorkspace),
      simulations.listStates({ simulationId, limit: 1 }, otherWorkspace),
      simulations.forecast({ simulationId }, otherWorkspace),
      simulations.replay({ simulationId }, otherWorkspace),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { ...NOT_FOUND, fields: {} } });
    }
    expect((await read(created)).scenarios).toMatchObject([{ name: 'Boom' }]);
  });

  it('are invisible without a scope, in every table', async () => {
    await advance(service, await createTestSimulation(service));
    const client = new Client({ connectionString: environment.databaseUrl });
    await client.connect();
    for (const table of TABLES) {
      expect([table, (await client.query(`SELECT FROM ${table}`)).rows]).toEqual([table, []]);
    }
    await client.end();
  });
});
