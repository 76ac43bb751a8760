import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { conflict, ServiceError, SimulationTickCompletedSchema } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { advance, as, begin, COMPANY, openStage, advanceWithEvents } from './open-simulation.ts';
import type { Begun, TestSimulation, TestStage } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const CONFLICT = 'CONFLICT';
const byNumber = (one: number, other: number): number => one - other;

describe('advance', () => {
  let stage: TestStage;
  let service: TestSimulation;
  beforeAll(async () => {
    stage = await openStage();
    service = await stage.start();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    stage.council.script(() => decisionOf({ marketingPct: 12 }));
    stage.council.setDown(false);
  });

  const addScenario = async ({ workspaceId, simulationId }: Begun, more: object = {}) => {
    const wanted = { simulationId, name: 'Recession', ...more };
    return (await service.simulations.addScenario(wanted, as(workspaceId))).scenario!;
  };
  const read = ({ workspaceId, simulationId }: Begun) =>
    service.simulations.getSimulation({ simulationId }, as(workspaceId));
  const panelsOf = ({ simulationId }: Begun) =>
    stage.council.held.filter(({ owner }) => owner === simulationId);
  const eventsOf = async ({ workspaceId }: Begun) =>
    (
      await stage.query('SELECT type, payload FROM outbox WHERE workspace_id = $1', [workspaceId])
    ).map(({ type, payload }) => ({
      type,
      ...fromBinary(SimulationTickCompletedSchema, payload as Uint8Array),
    }));

  it('creates a baseline, asks the council, and publishes one event', async () => {
    const begun = await begin(service);
    const events = await advanceWithEvents(service, begun);
    expect(events.map((event) => event.case)).toEqual([
      'started',
      'decided',
      'stepped',
      'advanced',
    ]);
    const { simulation, scenarios, states } = await read(begun);
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
    const { simulationId } = begun;
    expect(await eventsOf(begun)).toMatchObject([
      { type: 'simulation.tick.completed', simulationId, turn: 1, stateCount: 1 },
    ]);
    expect(panelsOf(begun)).toMatchObject([
      { key: `${simulationId}:1:${scenarios[0]!.id}`, maxRounds: 2 },
    ]);
  });

  it('gives agents all caller data, including unknown members', async () => {
    const begun = await begin(service, { companyBase: { ...COMPANY, mascot: 'an otter' } });
    await addScenario(begun, { parameters: JSON.stringify({ gdpGrowth: -2, mood: 'grim' }) });
    await advance(service, begun);
    const { briefing, levers } = panelsOf(begun)[0]!;
    for (const part of ['an otter', 'grim', '"gdpGrowth":-2', 'Recession']) {
      expect(briefing).toContain(part);
    }
    expect(levers.map(({ name }) => name)).toContain('priceChange');
    const { states, scenarios } = await read(begun);
    expect(JSON.parse(states[0]!.companyState)).toMatchObject({ mascot: 'an otter' });
    expect(scenarios[0]!.ignoredParameters).toEqual(['mood']);
  });

  it('creates one state for each active scenario in one turn', async () => {
    const begun = await begin(service);
    const first = await addScenario(begun, { name: 'A' });
    const second = await addScenario(begun, { name: 'B', parameters: '{"gdpGrowth":-4}' });
    const third = await addScenario(begun, { name: 'C' });
    const { workspaceId, simulationId } = begun;
    const change = { simulationId, scenarioId: third.id, isActive: false };
    await service.simulations.updateScenario(change, as(workspaceId));
    const { states } = await advance(service, begun);
    expect(states.map(({ scenarioId }) => scenarioId)).toEqual([first.id, second.id]);
    expect(states[0]!.stateHash).not.toBe(states[1]!.stateHash);
    expect((await eventsOf(begun))[0]).toMatchObject({ stateCount: 2 });
    expect((await read(begun)).simulation).toMatchObject({ stateCount: 2 });
  });

  it('asks the councils of all scenarios concurrently', async () => {
    const begun = await begin(service);
    for (const name of ['A', 'B', 'C']) await addScenario(begun, { name });
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    stage.council.script(async () => {
      waiting += 1;
      if (waiting === 3) gate.resolve();
      await gate.promise;
      return decisionOf({});
    });
    expect((await advance(service, begun)).states).toHaveLength(3);
  });

  it('forks a scenario from another’s last state', async () => {
    const begun = await begin(service);
    await advance(service, begun);
    const { scenarios, states } = await read(begun);
    const fork = await addScenario(begun, { fromScenarioId: scenarios[0]!.id });
    expect(fork.forkedAtTurn).toBe(1);
    const twin = await advance(service, begun);
    // The same history, random numbers and decision give the same future.
    expect(twin.states[0]!.stateHash).toBe(twin.states[1]!.stateHash);
    expect(twin.states[0]!.stateHash).not.toBe(states[0]!.stateHash);
    const stranger = addScenario(begun, { fromScenarioId: 'scn_none' });
    await expect(stranger).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('serializes calls of one simulation, also on different replicas', async () => {
    await using replica = await stage.start();
    const begun = await begin(service);
    const turns = await Promise.all(
      [service, replica, service, replica].map((one) => advance(one, begun)),
    );
    expect(turns.map(({ currentTurn }) => currentTurn).toSorted(byNumber)).toEqual([1, 2, 3, 4]);
    expect(panelsOf(begun)).toHaveLength(4);
    expect((await eventsOf(begun)).map(({ turn }) => turn).toSorted(byNumber)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('rejects a wrong expected turn, even after waiting', async () => {
    const begun = await begin(service);
    const ends = await Promise.allSettled(
      [1, 2].map(() => advance(service, begun, { expectedTurn: 0 })),
    );
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const conflicting = { reason: CONFLICT, fields: { code: 'turn_conflict' } };
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflicting });
    const refused = advance(service, begun, { expectedTurn: 5 });
    await expect(refused).rejects.toMatchObject(conflicting);
    expect((await advance(service, begun, { expectedTurn: 1 })).currentTurn).toBe(2);
  });

  it('waits for a lease for a limited time', async () => {
    await using impatient = await stage.start({ waitMs: 50 });
    const begun = await begin(service);
    const gate = Promise.withResolvers<void>();
    stage.council.script(async () => {
      await gate.promise;
      return decisionOf({});
    });
    const running = advance(service, begun);
    await eventually(() => panelsOf(begun).length === 1);
    const refused = { reason: CONFLICT, fields: { code: 'simulation_busy' } };
    await expect(advance(impatient, begun)).rejects.toMatchObject(refused);
    gate.resolve();
    await running;
  });

  it('uses default levers without agents', async () => {
    const begun = await begin(service);
    stage.council.script(() => {
      throw conflict('No agents.', { code: 'no_agents' });
    });
    const events = await advanceWithEvents(service, begun);
    expect(events[1]).toMatchObject({ case: 'decided', value: { fallback: true } });
    const { states } = await read(begun);
    expect(JSON.parse(states[0]!.decisions)).toMatchObject({ fallback: true, proposals: [] });
    stage.council.script(() => decisionOf({ priceChange: 2 }));
    const next = await advance(service, begun);
    expect(JSON.parse(next.states[0]!.decisions)).toMatchObject({ levers: { priceChange: 2 } });
  });

  it('uses default levers with too few answers', async () => {
    const begun = await begin(service);
    stage.council.script(() => {
      const fields = { code: 'debate_failed' };
      throw new ServiceError('PROVIDER_UNREACHABLE', 'Nobody answered.', { fields });
    });
    const { states } = await advance(service, begun);
    const decisions = JSON.parse(states[0]!.decisions) as Record<string, unknown>;
    expect(decisions).toMatchObject({ fallback: true, failure: 'Nobody answered.' });
  });

  it('lists the agents of a council that did not answer', async () => {
    const begun = await begin(service);
    const absentAgents = ['Ann', 'Bob'];
    stage.council.script(() => ({ panelId: 'dbt_1', failure: 'Nobody answered.', absentAgents }));
    const { states } = await advance(service, begun);
    expect(JSON.parse(states[0]!.decisions)).toMatchObject({
      fallback: true,
      failure: 'Nobody answered.',
      absentAgents,
    });
  });

  it('plays no turn after an error that the caller can fix, and asks again later', async () => {
    const begun = await begin(service);
    const scenario = await addScenario(begun);
    stage.council.script(() => {
      throw new ServiceError('INSUFFICIENT_QUOTA', 'No tokens.');
    });
    for (const _ of [1, 2]) {
      const refused = advance(service, begun);
      await expect(refused).rejects.toMatchObject({ reason: 'INSUFFICIENT_QUOTA' });
    }
    expect((await read(begun)).simulation).toMatchObject({ currentTurn: 0, stateCount: 0 });
    expect(await eventsOf(begun)).toEqual([]);
    stage.council.script(() => decisionOf({ rdPct: 9 }));
    const { states } = await advance(service, begun);
    expect(JSON.parse(states[0]!.decisions)).toMatchObject({ levers: { rdPct: 9 } });
    const key = `${begun.simulationId}:1:${scenario.id}`;
    expect(panelsOf(begun).map((panel) => panel.key)).toEqual([key, `${key}:2`, `${key}:3`]);
  });

  it('fails with UNAVAILABLE without the agents service, and continues afterwards', async () => {
    const begun = await begin(service);
    stage.council.setDown(true);
    await expect(advance(service, begun)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    stage.council.setDown(false);
    expect((await advance(service, begun)).currentTurn).toBe(1);
    expect((await read(begun)).scenarios).toHaveLength(1);
  });

  it('asks no council twice if one of several could not decide', async () => {
    const begun = await begin(service);
    const fine = await addScenario(begun, { name: 'Fine' });
    await addScenario(begun, { name: 'Broke' });
    stage.council.script(({ briefing }) => {
      if (briefing.includes('Broke')) throw new ServiceError('INSUFFICIENT_QUOTA', 'No tokens.');
      return decisionOf({ rdPct: 9 });
    });
    await expect(advance(service, begun)).rejects.toMatchObject({ reason: 'INSUFFICIENT_QUOTA' });
    stage.council.script(() => decisionOf({ rdPct: 5 }));
    const { states } = await advance(service, begun);
    const levers = states.map(({ decisions }) => JSON.parse(decisions) as object);
    expect(levers).toMatchObject([{ levers: { rdPct: 9 } }, { levers: { rdPct: 5 } }]);
    const held = panelsOf(begun).filter(({ key }) => key.includes(fine.id));
    expect(held).toHaveLength(1);
  });

  it('asks a new panel if the scenario changed after an interrupted turn', async () => {
    const begun = await begin(service);
    const scenario = await addScenario(begun);
    const aborting = new AbortController();
    const gate = Promise.withResolvers<void>();
    stage.council.script(async () => {
      await gate.promise;
      return decisionOf({});
    });
    const broken = advance(service, begun, { signal: aborting.signal });
    await eventually(() => panelsOf(begun).length === 1);
    aborting.abort();
    await expect(broken).rejects.toMatchObject({ reason: 'CANCELLED' });
    gate.resolve();
    const { workspaceId, simulationId } = begun;
    const change = { simulationId, scenarioId: scenario.id, parameters: '{"gdpGrowth":-6}' };
    await service.simulations.updateScenario(change, as(workspaceId));
    await advance(service, begun);
    expect(panelsOf(begun).map(({ briefing }) => briefing.includes('The world is told'))).toEqual([
      false,
      true,
    ]);
  });

  it('fails if every scenario is inactive', async () => {
    const begun = await begin(service);
    const scenario = await addScenario(begun);
    const { workspaceId, simulationId } = begun;
    const change = { simulationId, scenarioId: scenario.id, isActive: false };
    await service.simulations.updateScenario(change, as(workspaceId));
    const refused = { reason: CONFLICT, fields: { code: 'no_active_scenario' } };
    await expect(advance(service, begun)).rejects.toMatchObject(refused);
  });

  it('fails with NOT_FOUND for other workspaces', async () => {
    const begun = await begin(service);
    const stranger = { ...begun, workspaceId: newId('ws') };
    await expect(advance(service, stranger)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('returns year-over-year inflation', async () => {
    const begun = await begin(service);
    const levels: number[] = [];
    let shown = 0;
    for (let turn = 1; turn <= 5; turn += 1) {
      const { states } = await advance(service, begun);
      const { priceLevel, inflationRate } = JSON.parse(states[0]!.worldState) as Record<
        'priceLevel' | 'inflationRate',
        number
      >;
      levels.push(priceLevel);
      shown = inflationRate;
    }
    expect(shown).toBeCloseTo((levels[4]! / levels[0]! - 1) * 100, 3);
  });
});
