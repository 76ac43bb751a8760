import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { advance, as, begin, COMPANY, finalize, openStage } from './open-simulation.ts';
import type { Begun, TestSimulation, TestStage } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const TABLES = ['simulation', 'scenario', 'council', 'state', 'report', 'panel_purge', 'outbox'];
const NOT_FOUND = { reason: 'NOT_FOUND' };

describe('simulations', () => {
  let stage: TestStage;
  let service: TestSimulation;
  beforeAll(async () => {
    stage = await openStage();
    service = await stage.start();
    stage.council.script(() => decisionOf({ marketingPct: 12 }));
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  });

  const addScenario = async ({ workspaceId, simulationId }: Begun, more: object = {}) => {
    const wanted = { simulationId, name: 'Boom', ...more };
    return (await service.simulations.addScenario(wanted, as(workspaceId))).scenario!;
  };
  const read = ({ workspaceId, simulationId }: Begun) =>
    service.simulations.getSimulation({ simulationId }, as(workspaceId));

  it('begin at turn 0 with the given figures and assumptions', async () => {
    const companyBase = { ...COMPANY, founders: ['Ann', 'Bob'], note: 'ünïcode \u0000 \ud800' };
    const { simulation } = await begin(service, { companyBase, horizonTurns: 8 });
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
    const { simulation } = await simulations.createSimulation(draft, as(workspaceId));
    expect(simulation!.companyBase).toBe(companyBase);
    const begun = { workspaceId, simulationId: simulation!.id };
    const parameters = '{"gdpGrowth":1.50,"ledger":9007199254740993}';
    expect(await addScenario(begun, { parameters })).toMatchObject({
      parameters,
      ignoredParameters: ['ledger'],
    });
    const { states } = await advance(service, begun);
    expect(states[0]!.companyState).toContain(unknown);
    expect(JSON.parse(states[0]!.worldState)).toMatchObject({ gdpGrowth: 1.5 });
    const stored = await read(begun);
    expect([stored.simulation!.companyBase, stored.scenarios[0]!.parameters]).toEqual([
      companyBase,
      parameters,
    ]);
    expect(stored.states[0]!.companyState).toBe(states[0]!.companyState);
    const asked = stage.council.asked.find(({ owner }) => owner === begun.simulationId)!;
    expect(asked.briefing).toContain('9007199254740993');
  });

  it('reject too large companyBase and parameters', async () => {
    const big = JSON.stringify({ note: 'ä'.repeat(16_380) });
    const draft = { name: 'A', turnUnit: 'quarter', companyBase: big };
    const refused = service.simulations.createSimulation(draft, as('ws_1'));
    await expect(refused).rejects.toMatchObject({ fields: { param: 'companyBase' } });
    const added = addScenario(await begin(service), { parameters: big });
    await expect(added).rejects.toMatchObject({ fields: { param: 'parameters' } });
    const most = JSON.stringify({ note: 'ä'.repeat(16_378) });
    const { simulations } = service;
    await simulations.createSimulation({ ...draft, companyBase: most }, as('ws_1'));
  });

  it('derive their seed from the id if none is given', async () => {
    const { simulations } = service;
    const draft = { name: 'A', turnUnit: 'year', companyBase: JSON.stringify(COMPANY) };
    const make = async () => (await simulations.createSimulation(draft, as('ws_1'))).simulation!;
    const [one, other] = [await make(), await make()];
    expect(one.seed).not.toBe(other.seed);
    expect(one.seed).toBeLessThan(2n ** 53n);
  });

  it.each([
    ['an empty name', { name: ' ' }, 'name'],
    ['a name with NUL', { name: 'a\0' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'name'],
    ['another unit of turns', { turnUnit: 'month' }, 'turnUnit'],
    ['a horizon that is too far', { horizonTurns: 1_001 }, 'horizonTurns'],
    ['a seed that is too large', { seed: 2n ** 53n }, 'seed'],
    [
      'a company with a string for a number',
      { companyBase: { revenue: '1M' } },
      'companyBase.revenue',
    ],
    ['a company without bounds', { companyBase: { revenue: 1e308 } }, 'companyBase.revenue'],
  ])('reject %s', async (_, draft, param) => {
    const refused = begin(service, draft);
    await expect(refused).rejects.toMatchObject({ reason: 'INVALID_REQUEST', fields: { param } });
  });

  it.each(['[]', 'null', '{', '"text"', ''])('reject the company %s', async (companyBase) => {
    const draft = { name: 'A', turnUnit: 'year', companyBase };
    const refused = service.simulations.createSimulation(draft, as('ws_1'));
    await expect(refused).rejects.toMatchObject({ fields: { param: 'companyBase' } });
  });

  it('are listed newest first, in pages', async () => {
    const { workspaceId } = await begin(service, { name: 'a' });
    const { simulations } = service;
    for (const name of ['b', 'c']) {
      const draft = { name, turnUnit: 'year', companyBase: JSON.stringify(COMPANY) };
      await simulations.createSimulation(draft, as(workspaceId));
    }
    const first = await simulations.listSimulations({ limit: 2 }, as(workspaceId));
    expect(first.simulations.map(({ name }) => name)).toEqual(['c', 'b']);
    expect(first.simulations[0]).toMatchObject({ companyBase: '', assumptions: [] });
    const cursor = first.nextCursor;
    const rest = await simulations.listSimulations({ limit: 2, cursor }, as(workspaceId));
    expect(rest.simulations.map(({ name }) => name)).toEqual(['a']);
    expect(rest.nextCursor).toBe('');
    const refused = simulations.listSimulations({ limit: 501 }, as(workspaceId));
    await expect(refused).rejects.toMatchObject({ fields: { param: 'limit' } });
  });

  it('return the requested states, newest first', async () => {
    const begun = await begin(service);
    const first = await addScenario(begun, { name: 'A' });
    await addScenario(begun, { name: 'B' });
    for (let turn = 0; turn < 3; turn += 1) await advance(service, begun);
    const { workspaceId, simulationId } = begun;
    const list = async (more: object) => {
      const wanted = { simulationId, limit: 500, ...more };
      const { states } = await service.simulations.listStates(wanted, as(workspaceId));
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
    const begun = await begin(service);
    const { workspaceId, simulationId } = begun;
    const scenario = await addScenario(begun, { parameters: '{"gdpGrowth":4,"x":1}' });
    expect(scenario).toMatchObject({ isActive: true, ignoredParameters: ['x'] });
    const update = async (changes: object) => {
      const wanted = { simulationId, scenarioId: scenario.id, ...changes };
      const { scenario: after } = await service.simulations.updateScenario(wanted, as(workspaceId));
      return after!;
    };
    expect(await update({ name: 'Bust' })).toMatchObject({
      name: 'Bust',
      parameters: '{"gdpGrowth":4,"x":1}',
    });
    const changed = await update({ isActive: false, parameters: '{"gdpGrowth":1}' });
    expect(changed).toMatchObject({ name: 'Bust', isActive: false, ignoredParameters: [] });
    const wild = { fields: { param: 'parameters.gdpGrowth' } };
    await expect(update({ parameters: '{"gdpGrowth":1e9}' })).rejects.toMatchObject(wild);
    await expect(addScenario(begun, { parameters: '{"gdpGrowth":"x"}' })).rejects.toMatchObject(
      wild,
    );
    await expect(update({ scenarioId: 'scn_none' })).rejects.toMatchObject(NOT_FOUND);
  });

  it('have a maximum number of scenarios', async () => {
    const begun = await begin(service);
    for (let count = 0; count < 32; count += 1) await addScenario(begun);
    const many = { reason: 'CONFLICT', fields: { code: 'too_many_scenarios' } };
    await expect(addScenario(begun)).rejects.toMatchObject(many);
  });

  it('are replayed without agents, and list modified states', async () => {
    const begun = await begin(service, { turnUnit: 'year' });
    await addScenario(begun, { name: 'A' });
    await advance(service, begun);
    const late = await addScenario(begun, { name: 'B', parameters: '{"gdpGrowth":-3}' });
    await advance(service, begun);
    const { workspaceId, simulationId } = begun;
    const change = { simulationId, scenarioId: late.id, parameters: '{"gdpGrowth":9}' };
    await service.simulations.updateScenario(change, as(workspaceId));
    const replay = () => service.simulations.replay({ simulationId }, as(workspaceId));
    const asked = stage.council.asked.length;
    expect(await replay()).toMatchObject({ matches: true, turns: 2, mismatches: [] });
    expect(stage.council.asked).toHaveLength(asked);
    await stage.query(
      `UPDATE state
       SET decision = replace(decision::text, '"marketingPct":12', '"marketingPct":13')::json
       WHERE simulation_id = $1 AND scenario_id = $2`,
      [simulationId, late.id],
    );
    expect(await replay()).toMatchObject({ matches: false, mismatches: [`${late.id}:2`] });
  });

  it('are replayed in full, and list at most 100 mismatches', async () => {
    const begun = await begin(service);
    const { states } = await advance(service, begun);
    const { workspaceId, simulationId } = begun;
    // Adjacent turns always differ, except for a company in equilibrium.
    const columns =
      'workspace_id, simulation_id, scenario_id, engine_state, company_state, world_state, ' +
      'events, decision, parameters, state_hash, decisions_hash, model_version, created_at';
    await stage.query(
      `INSERT INTO state (id, turn, ${columns})
       SELECT 'sta_' || later, later, ${columns} FROM state, generate_series(2, 250) AS later
       WHERE simulation_id = $1`,
      [simulationId],
    );
    const replayed = await service.simulations.replay({ simulationId }, as(workspaceId));
    const { scenarioId } = states[0]!;
    const wanted = Array.from({ length: 100 }, (_, at) => `${scenarioId}:${at + 2}`);
    expect(replayed).toMatchObject({ matches: false, mismatches: wanted });
  });

  it('have a maximum number of turns, after which they can be finalized', async () => {
    const begun = await begin(service);
    await advance(service, begun);
    const sql = 'UPDATE simulation SET current_turn = 1000 WHERE id = $1';
    await stage.query(sql, [begun.simulationId]);
    const refusal = { reason: 'CONFLICT', fields: { code: 'too_many_turns' } };
    await expect(advance(service, begun)).rejects.toMatchObject(refusal);
    expect(await finalize(service, begun)).toMatchObject({ fromTemplate: true });
  });

  it('are forecast, before and after their first turn', async () => {
    const begun = await begin(service);
    const { workspaceId, simulationId } = begun;
    const forecast = (more: object = {}) =>
      service.simulations.forecast({ simulationId, ...more }, as(workspaceId));
    const first = await forecast();
    expect(first).toMatchObject({ turns: 8, runs: 1_000 });
    expect(Object.keys(first.percentiles).toSorted()).toEqual(['p25', 'p5', 'p50', 'p75', 'p95']);
    const { p5, p95 } = first.percentiles;
    expect(p5!.revenue).toHaveLength(8);
    expect(first.intervals.p5!.low!.revenue.at(-1)!).toBeLessThan(p5!.revenue.at(-1)!);
    expect(first.intervals.p5!.high!.revenue.at(-1)!).toBeGreaterThan(p5!.revenue.at(-1)!);
    expect(p95!.revenue.at(-1)!).toBeGreaterThan(p5!.revenue.at(-1)!);
    expect(await forecast()).toEqual(first);
    await advance(service, begun);
    expect(await forecast({ turns: 3, runs: 50 })).toMatchObject({ turns: 3, runs: 50 });
    for (const [param, value] of Object.entries({ turns: 41, runs: 9 })) {
      await expect(forecast({ [param]: value })).rejects.toMatchObject({ fields: { param } });
    }
    await expect(forecast({ scenarioId: 'scn_none' })).rejects.toMatchObject(NOT_FOUND);
  });

  it('are deleted with all their data, including panels', async () => {
    const begun = await begin(service);
    await advance(service, begun);
    await finalize(service, begun);
    const { workspaceId, simulationId } = begun;
    await service.simulations.deleteSimulation({ simulationId }, as(workspaceId));
    await expect(read(begun)).rejects.toMatchObject(NOT_FOUND);
    for (const table of TABLES.filter((one) => one !== 'outbox')) {
      const rows = await stage.query(`SELECT FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
      expect([table, rows]).toEqual([table, []]);
    }
    expect(stage.council.deleted).toContain(simulationId);
    const again = service.simulations.deleteSimulation({ simulationId }, as(workspaceId));
    await expect(again).rejects.toMatchObject(NOT_FOUND);
  });

  it('are deleted without the agents service, and their panels later', async () => {
    const begun = await begin(service);
    await advance(service, begun);
    const { workspaceId, simulationId } = begun;
    stage.council.setDown(true);
    await service.simulations.deleteSimulation({ simulationId }, as(workspaceId));
    expect(stage.council.deleted).not.toContain(simulationId);
    stage.council.setDown(false);
    await stage.query('UPDATE panel_purge SET due_at = clock_timestamp()');
    await using _replica = await stage.start({ purgeEveryMs: 20 });
    await eventually(() => stage.council.deleted.includes(simulationId));
  });

  it('are deleted while they advance, including the turn', async () => {
    await using impatient = await stage.start({ leaseMs: 1_500 });
    const begun = await begin(service);
    const { workspaceId, simulationId } = begun;
    stage.council.script(() => new Promise(() => undefined));
    const running = advance(impatient, begun).catch((error: unknown) => error);
    const isHeld = () => stage.council.held.some(({ owner }) => owner === simulationId);
    await eventually(isHeld);
    await service.simulations.deleteSimulation({ simulationId }, as(workspaceId));
    expect(await running).toMatchObject(NOT_FOUND);
    const events = await stage.query('SELECT FROM outbox WHERE workspace_id = $1', [workspaceId]);
    expect(events).toEqual([]);
    stage.council.script(() => decisionOf({}));
  });

  it('are not accessible from other workspaces', async () => {
    const begun = await begin(service);
    const scenario = await addScenario(begun);
    const { simulationId } = begun;
    const stranger = as(newId('ws'));
    const scenarioId = scenario.id;
    const { simulations } = service;
    const calls = [
      simulations.getSimulation({ simulationId }, stranger),
      simulations.deleteSimulation({ simulationId }, stranger),
      simulations.addScenario({ simulationId, name: 'A' }, stranger),
      simulations.updateScenario({ simulationId, scenarioId, name: 'A' }, stranger),
      simulations.finalize({ simulationId }, stranger),
      simulations.getReport({ simulationId }, stranger),
      simulations.listStates({ simulationId, limit: 1 }, stranger),
      simulations.forecast({ simulationId }, stranger),
      simulations.replay({ simulationId }, stranger),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { ...NOT_FOUND, fields: {} } });
    }
    expect((await read(begun)).scenarios).toMatchObject([{ name: 'Boom' }]);
  });

  it('are invisible without a scope, in every table', async () => {
    await advance(service, await begin(service));
    const client = new Client({ connectionString: stage.databaseUrl });
    await client.connect();
    for (const table of TABLES) {
      expect([table, (await client.query(`SELECT FROM ${table}`)).rows]).toEqual([table, []]);
    }
    await client.end();
  });
});
