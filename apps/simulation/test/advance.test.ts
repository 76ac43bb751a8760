import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { conflict, ServiceError, SimulationTickCompletedSchema } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import {
  advance,
  optionsFor,
  createTestSimulation,
  COMPANY,
  openEnvironment,
  advanceWithEvents,
} from './open-simulation.ts';
import type { CreatedSimulation, TestSimulation, TestEnvironment } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const CONFLICT = 'CONFLICT';
const byNumber = (a: number, b: number): number => a - b;

describe('advance', () => {
  let environment: TestEnvironment;
  let service: TestSimulation;
  beforeAll(async () => {
    environment = await openEnvironment();
    service = await environment.start();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await environment[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    environment.council.script(() => decisionOf({ marketingPct: 12 }));
    environment.council.setUnavailable(false);
  });

  const addScenario = async (
    { workspaceId, simulationId }: CreatedSimulation,
    more: object = {},
  ) => {
    const request = { simulationId, name: 'Recession', ...more };
    return (await service.simulations.addScenario(request, optionsFor(workspaceId))).scenario!;
  };
  const read = ({ workspaceId, simulationId }: CreatedSimulation) =>
    service.simulations.getSimulation({ simulationId }, optionsFor(workspaceId));
  const panelsOf = ({ simulationId }: CreatedSimulation) =>
    environment.council.panels.filter(({ owner }) => owner === simulationId);
  const eventsOf = async ({ workspaceId }: CreatedSimulation) =>
    (
      await environment.query('SELECT type, payload FROM outbox WHERE workspace_id = $1', [
        workspaceId,
      ])
    ).map(({ type, payload }) => ({
      type,
      ...fromBinary(SimulationTickCompletedSchema, payload as Uint8Array),
    }));

  it('creates a baseline, asks the council, and publishes one event', async () => {
    const created = await createTestSimulation(service);
    const events = await advanceWithEvents(service, created);
    expect(events.map((event) => event.case)).toEqual([
      'started',
      'decided',
      'stepped',
      'advanced',
    ]);
    const { simulation, scenarios, states } = await read(created);
    expect(simulation).toMatchObject({ currentTurn: 1, stateCount: 1, status: 'active' });
    expect(scenarios).toMatchObject([{ name: 'Baseline', isActive: true, forkedAtTurn: 0 }]);
    expect(states).toHaveLength(1);
    const [state] = states;
    expect(state).toMatchObject({ turn: 1, scenarioId: scenarios[0]!.id, proofIds: ['pf_1'] });
    expect(JSON.parse(state!.decisions)).toMatchObject({
      proposals: [{ agentName: 'Ann', levers: { marketingPct: 12 }, rationale: 'Because.' }],
      levers: { marketingPct: 12 },
      absentAgents: ['Bob'],
      convergenceScore: 0.75,
      fallback: false,
    });
    const last = events.at(-1);
    expect(last?.value).toMatchObject({ currentTurn: 1, usage: { totalTokens: 120 } });
    const { simulationId } = created;
    expect(await eventsOf(created)).toMatchObject([
      { type: 'simulation.tick.completed', simulationId, turn: 1, stateCount: 1 },
    ]);
    expect(panelsOf(created)).toMatchObject([
      { key: `${simulationId}:1:${scenarios[0]!.id}`, maxRounds: 2 },
    ]);
  });

  it('gives agents all caller data, including unknown members', async () => {
    const created = await createTestSimulation(service, {
      companyBase: { ...COMPANY, mascot: 'an otter' },
    });
    await addScenario(created, { parameters: JSON.stringify({ gdpGrowth: -2, mood: 'grim' }) });
    await advance(service, created);
    const { briefing, levers } = panelsOf(created)[0]!;
    for (const part of ['an otter', 'grim', '"gdpGrowth":-2', 'Recession']) {
      expect(briefing).toContain(part);
    }
    expect(briefing).toMatch(
      /The company after turn 0: sector: saas; revenue: \d+; .*cash: \d+; burn: \d+; runway/,
    );
    expect(briefing).not.toMatch(/Scale|latent|running|volatility|rookies|usual/);
    expect(briefing.length).toBeLessThan(1_200);
    expect(levers.map(({ name }) => name)).toContain('priceChange');
    const { states, scenarios } = await read(created);
    expect(JSON.parse(states[0]!.companyState)).toMatchObject({ mascot: 'an otter' });
    expect(scenarios[0]!.ignoredParameters).toEqual(['mood']);
  });

  it('creates one state for each active scenario in one turn', async () => {
    const created = await createTestSimulation(service);
    const first = await addScenario(created, { name: 'A' });
    const second = await addScenario(created, { name: 'B', parameters: '{"gdpGrowth":-4}' });
    const third = await addScenario(created, { name: 'C' });
    const { workspaceId, simulationId } = created;
    const change = { simulationId, scenarioId: third.id, isActive: false };
    await service.simulations.updateScenario(change, optionsFor(workspaceId));
    const { states } = await advance(service, created);
    expect(states.map(({ scenarioId }) => scenarioId)).toEqual([first.id, second.id]);
    expect(states[0]!.stateHash).not.toBe(states[1]!.stateHash);
    expect((await eventsOf(created))[0]).toMatchObject({ stateCount: 2 });
    expect((await read(created)).simulation).toMatchObject({ stateCount: 2 });
  });

  it('asks the councils of all scenarios concurrently', async () => {
    const created = await createTestSimulation(service);
    for (const name of ['A', 'B', 'C']) await addScenario(created, { name });
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    environment.council.script(async () => {
      waiting += 1;
      if (waiting === 3) gate.resolve();
      await gate.promise;
      return decisionOf({});
    });
    expect((await advance(service, created)).states).toHaveLength(3);
  });

  it('forks a scenario from another’s last state', async () => {
    const created = await createTestSimulation(service);
    await advance(service, created);
    const { scenarios, states } = await read(created);
    const fork = await addScenario(created, { fromScenarioId: scenarios[0]!.id });
    expect(fork.forkedAtTurn).toBe(1);
    const forked = await advance(service, created);
    // Both scenarios have the same history, random numbers and decision, so their states are equal.
    expect(forked.states[0]!.stateHash).toBe(forked.states[1]!.stateHash);
    expect(forked.states[0]!.stateHash).not.toBe(states[0]!.stateHash);
    const otherWorkspace = addScenario(created, { fromScenarioId: 'scn_none' });
    await expect(otherWorkspace).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('serializes calls of one simulation, also on different replicas', async () => {
    await using replica = await environment.start();
    const created = await createTestSimulation(service);
    const turns = await Promise.all(
      [service, replica, service, replica].map((a) => advance(a, created)),
    );
    expect(turns.map(({ currentTurn }) => currentTurn).toSorted(byNumber)).toEqual([1, 2, 3, 4]);
    expect(panelsOf(created)).toHaveLength(4);
    expect((await eventsOf(created)).map(({ turn }) => turn).toSorted(byNumber)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('rejects a wrong expected turn, even after waiting', async () => {
    const created = await createTestSimulation(service);
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => advance(service, created, { expectedTurn: 0 })),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const conflicting = { reason: CONFLICT, fields: { code: 'turn_conflict' } };
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: conflicting,
    });
    const rejection = advance(service, created, { expectedTurn: 5 });
    await expect(rejection).rejects.toMatchObject(conflicting);
    expect((await advance(service, created, { expectedTurn: 1 })).currentTurn).toBe(2);
  });

  it('waits for a lease for a limited time', async () => {
    await using shortWait = await environment.start({ waitMs: 50 });
    const created = await createTestSimulation(service);
    const gate = Promise.withResolvers<void>();
    environment.council.script(async () => {
      await gate.promise;
      return decisionOf({});
    });
    const running = advance(service, created);
    await eventually(() => panelsOf(created).length === 1);
    const rejection = { reason: CONFLICT, fields: { code: 'simulation_busy' } };
    await expect(advance(shortWait, created)).rejects.toMatchObject(rejection);
    gate.resolve();
    await running;
  });

  it('uses default levers without agents', async () => {
    const created = await createTestSimulation(service);
    environment.council.script(() => {
      throw conflict('No agents.', { code: 'no_agents' });
    });
    const events = await advanceWithEvents(service, created);
    expect(events[1]).toMatchObject({ case: 'decided', value: { fallback: true } });
    const { states } = await read(created);
    expect(JSON.parse(states[0]!.decisions)).toMatchObject({ fallback: true, proposals: [] });
    environment.council.script(() => decisionOf({ priceChange: 2 }));
    const next = await advance(service, created);
    expect(JSON.parse(next.states[0]!.decisions)).toMatchObject({ levers: { priceChange: 2 } });
  });

  it('uses default levers with too few answers', async () => {
    const created = await createTestSimulation(service);
    environment.council.script(() => {
      const fields = { code: 'debate_failed' };
      throw new ServiceError('PROVIDER_UNREACHABLE', 'Nobody answered.', { fields });
    });
    const { states } = await advance(service, created);
    const decisions = JSON.parse(states[0]!.decisions) as Record<string, unknown>;
    expect(decisions).toMatchObject({ fallback: true, failure: 'Nobody answered.' });
  });

  it('lists the agents of a council that did not answer', async () => {
    const created = await createTestSimulation(service);
    const absentAgents = ['Ann', 'Bob'];
    environment.council.script(() => ({
      panelId: 'dbt_1',
      failure: 'Nobody answered.',
      absentAgents,
    }));
    const { states } = await advance(service, created);
    expect(JSON.parse(states[0]!.decisions)).toMatchObject({
      fallback: true,
      failure: 'Nobody answered.',
      absentAgents,
    });
  });

  it('plays no turn after an error that the caller can fix, and asks again later', async () => {
    const created = await createTestSimulation(service);
    const scenario = await addScenario(created);
    environment.council.script(() => {
      throw new ServiceError('INSUFFICIENT_QUOTA', 'No tokens.');
    });
    for (const _ of [1, 2]) {
      const rejection = advance(service, created);
      await expect(rejection).rejects.toMatchObject({ reason: 'INSUFFICIENT_QUOTA' });
    }
    expect((await read(created)).simulation).toMatchObject({ currentTurn: 0, stateCount: 0 });
    expect(await eventsOf(created)).toEqual([]);
    environment.council.script(() => decisionOf({ rdPct: 9 }));
    const { states } = await advance(service, created);
    expect(JSON.parse(states[0]!.decisions)).toMatchObject({ levers: { rdPct: 9 } });
    const key = `${created.simulationId}:1:${scenario.id}`;
    expect(panelsOf(created).map((panel) => panel.key)).toEqual([key, `${key}:2`, `${key}:3`]);
  });

  it('fails with UNAVAILABLE without the agents service, and continues afterwards', async () => {
    const created = await createTestSimulation(service);
    environment.council.setUnavailable(true);
    await expect(advance(service, created)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    environment.council.setUnavailable(false);
    expect((await advance(service, created)).currentTurn).toBe(1);
    expect((await read(created)).scenarios).toHaveLength(1);
  });

  it('asks no council twice if one of several could not decide', async () => {
    const created = await createTestSimulation(service);
    const decidable = await addScenario(created, { name: 'Fine' });
    await addScenario(created, { name: 'Broke' });
    environment.council.script(({ briefing }) => {
      if (briefing.includes('Broke')) throw new ServiceError('INSUFFICIENT_QUOTA', 'No tokens.');
      return decisionOf({ rdPct: 9 });
    });
    await expect(advance(service, created)).rejects.toMatchObject({ reason: 'INSUFFICIENT_QUOTA' });
    environment.council.script(() => decisionOf({ rdPct: 5 }));
    const { states } = await advance(service, created);
    const levers = states.map(({ decisions }) => JSON.parse(decisions) as object);
    expect(levers).toMatchObject([{ levers: { rdPct: 9 } }, { levers: { rdPct: 5 } }]);
    const panels = panelsOf(created).filter(({ key }) => key.includes(decidable.id));
    expect(panels).toHaveLength(1);
  });

  it('asks a new panel if the scenario changed after an interrupted turn', async () => {
    const created = await createTestSimulation(service);
    const scenario = await addScenario(created);
    const aborting = new AbortController();
    const gate = Promise.withResolvers<void>();
    environment.council.script(async () => {
      await gate.promise;
      return decisionOf({});
    });
    const interrupted = advance(service, created, { signal: aborting.signal });
    await eventually(() => panelsOf(created).length === 1);
    aborting.abort();
    await expect(interrupted).rejects.toMatchObject({ reason: 'CANCELLED' });
    gate.resolve();
    const { workspaceId, simulationId } = created;
    const change = { simulationId, scenarioId: scenario.id, parameters: '{"gdpGrowth":-6}' };
    await service.simulations.updateScenario(change, optionsFor(workspaceId));
    await advance(service, created);
    expect(panelsOf(created).map(({ briefing }) => briefing.includes('The world is told'))).toEqual(
      [false, true],
    );
  });

  it('fails if every scenario is inactive', async () => {
    const created = await createTestSimulation(service);
    const scenario = await addScenario(created);
    const { workspaceId, simulationId } = created;
    const change = { simulationId, scenarioId: scenario.id, isActive: false };
    await service.simulations.updateScenario(change, optionsFor(workspaceId));
    const rejection = { reason: CONFLICT, fields: { code: 'no_active_scenario' } };
    await expect(advance(service, created)).rejects.toMatchObject(rejection);
  });

  it('fails with NOT_FOUND for other workspaces', async () => {
    const created = await createTestSimulation(service);
    const otherWorkspace = { ...created, workspaceId: newId('ws') };
    await expect(advance(service, otherWorkspace)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('returns year-over-year inflation', async () => {
    const created = await createTestSimulation(service);
    const levels: number[] = [];
    let shownCount = 0;
    for (let turn = 1; turn <= 5; turn += 1) {
      const { states } = await advance(service, created);
      const { priceLevel, inflationRate } = JSON.parse(states[0]!.worldState) as Record<
        'priceLevel' | 'inflationRate',
        number
      >;
      levels.push(priceLevel);
      shownCount = inflationRate;
    }
    expect(shownCount).toBeCloseTo((levels[4]! / levels[0]! - 1) * 100, 3);
  });
});
