import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { commit } from '@witan/proof';
import { eventually, NATS_MISSING, openReceiver, openTestSystem } from '@witan/testing';
import type { Receiver, TestSystem } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { framesOf } from './open-conversations.ts';
import {
  ADVANCE_PATH,
  COMPANY,
  FINALIZE_PATH,
  LIST_PATH,
  openSimulations,
  SCENARIO_PATH,
} from './open-simulations.ts';
import type { Advanced, Levers, SimulationClient, Simulations, State } from './open-simulations.ts';
import { createScriptedCouncil } from './scripted-council.ts';
import type { ScriptedOutput } from './scripted-council.ts';

// The tests in this file do not depend on the transport between services, so they run over one
// transport only.

const STREAM = { accept: 'text/event-stream' };
const STANCES = { i1: 0.5, i2: -0.5, i3: 0.5 };
const NAMES = ['Craft', 'Growth', 'Thrift'];

const toPersona = (name: string) => ({
  name,
  systemPrompt: `The persona of ${name}.`,
  model: 'gpt-test',
});
const toDecision = (levers: Levers): ScriptedOutput => ({ stances: STANCES, levers });
/** Text of a report that contains no numbers. */
const REPORT_TEXT = 'The company held on.';

describe('a panel of a simulation', () => {
  let simulations: Simulations;
  let answerOf: (name: string) => ScriptedOutput;
  const council = createScriptedCouncil(() => ({
    issues: [],
    answerOf: (name) => (name ? answerOf(name) : REPORT_TEXT),
  }));

  beforeAll(async () => {
    simulations = await openSimulations({ transport: 'in-process', fallback: council.script });
  });
  afterAll(async () => {
    await simulations[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    council.calls.length = 0;
  });

  const createClientWithAgents = (names = NAMES): Promise<SimulationClient> =>
    simulations.createClient(names.map(toPersona));
  const leversOf = (state: State) => [
    state.decisions.levers.priceChange,
    state.decisions.levers.marketingPct,
  ];

  it('decides by the median of its members: one outlier changes nothing', async () => {
    const leversByName: Record<string, Levers> = {
      Craft: { priceChange: 2, marketingPct: 10 },
      Growth: { priceChange: 3, marketingPct: 12 },
      Thrift: { priceChange: -1e9, marketingPct: 1e9 },
    };
    answerOf = (name) => toDecision(leversByName[name]!);
    const simulationClient = await createClientWithAgents();
    const { states, usage, proofs } = await simulationClient.advance(
      await simulationClient.createSimulation(),
    );
    const [state] = states as [State];
    expect(leversOf(state)).toEqual([2, 12]);
    expect(state.decisions).toMatchObject({ fallback: false, absentAgents: [] });
    const names = state.decisions.proposals.map(({ agentName }) => agentName);
    expect(names.toSorted()).toEqual(NAMES);
    expect([usage.totalTokens > 0, state.proofs]).toEqual([true, proofs]);
    expect(council.calls.map(({ name }) => name).toSorted()).toEqual(NAMES);
    for (const { prompt } of council.calls) expect(prompt).toContain('priceChange');
  });

  it('has a certificate for every call, which commits to the request body', async () => {
    answerOf = () => toDecision({ priceChange: 1 });
    const simulationClient = await createClientWithAgents();
    const body = { expectedTurn: 0 };
    const answer = await simulationClient.call(
      `POST ${ADVANCE_PATH}`,
      { id: await simulationClient.createSimulation() },
      { body },
    );
    const { proofs } = answer.json as Advanced;
    expect(proofs).toHaveLength(NAMES.length);
    for (const proof of proofs) {
      const { status, json } = await simulationClient.client.send(`/v1/proofs/${proof}`);
      expect([status, (json as Certificate).payload.request.sha256]).toEqual([200, commit(body)]);
    }
  });

  it('decides in each scenario from its world parameters', async () => {
    answerOf = () => toDecision({ priceChange: 1 });
    const simulationClient = await createClientWithAgents();
    const id = await simulationClient.createSimulation({ companyBase: { ...DESCRIBED_COMPANY } });
    await simulationClient.createScenario(id, { name: 'Calm' });
    await simulationClient.createScenario(id, {
      name: 'Bust',
      parameters: { gdpGrowth: -4, mood: 'sombre' },
    });
    const { states } = await simulationClient.advance(id);
    expect([states.length, council.calls.length]).toEqual([2, 2 * NAMES.length]);
    const prompts = council.calls.filter(({ prompt }) => prompt.includes('sombre'));
    expect(prompts).toHaveLength(NAMES.length);
    for (const { prompt } of council.calls) expect(prompt).toContain('a shop of second-hand tubas');
  });

  it('uses fallback decisions if all members fail, and the turn is made', async () => {
    answerOf = () => ({ status: 500 });
    const simulationClient = await createClientWithAgents();
    const id = await simulationClient.createSimulation();
    const [state] = (await simulationClient.advance(id)).states;
    expect(state!.decisions).toMatchObject({ fallback: true, proposals: [] });
    expect(await simulationClient.read(id)).toMatchObject({ currentTurn: 1 });
  });

  describe('as an event stream', () => {
    it('delivers events by scenario and ends with the complete response', async () => {
      answerOf = (name) => (name === 'Craft' ? { status: 400 } : toDecision({ priceChange: 1 }));
      const simulationClient = await createClientWithAgents();
      const id = await simulationClient.createSimulation();
      const scenarioIds = [
        await simulationClient.createScenario(id),
        await simulationClient.createScenario(id),
      ];
      const answer = await simulationClient.call(
        `POST ${ADVANCE_PATH}`,
        { id },
        { headers: STREAM },
      );
      const frames = framesOf(answer);
      const dataOf = (event: string): Record<string, unknown>[] =>
        frames.filter((one) => one.event === event).map(({ data }) => data);
      expect(frames[0]!.event).toBe('advance.started');
      expect(dataOf('advance.started')).toMatchObject([{ turn: 1, scenarios: [{}, {}] }]);
      const decisions = dataOf('scenario.decided');
      expect(new Set(decisions.map(({ scenarioId }) => scenarioId))).toEqual(new Set(scenarioIds));
      expect(decisions).toHaveLength(scenarioIds.length);
      for (const one of decisions) {
        expect(one).toMatchObject({ fallback: false, absentAgents: ['Craft'] });
        expect(one.decisions).toMatchObject({ levers: { priceChange: 1 } });
      }
      const [done] = dataOf('done') as unknown as [Advanced];
      expect(frames.at(-1)!.event).toBe('done');
      expect(dataOf('scenario.stepped').map(({ state }) => state)).toEqual(done.states);
      expect((await simulationClient.read(id)).states.toSorted(byId)).toEqual(
        done.states.toSorted(byId),
      );
    });

    it('returns a plain 404 or 409 before it starts', async () => {
      const simulationClient = await createClientWithAgents([]);
      const id = await simulationClient.createSimulation();
      const advance = async (index: string, body?: object): Promise<Answer> =>
        simulationClient.call(`POST ${ADVANCE_PATH}`, { id: index }, { headers: STREAM, body });
      expect((await advance('sim_1')).status).toBe(404);
      expect((await advance(id, { expectedTurn: 1 })).json).toMatchObject({
        error: { code: 'turn_conflict' },
      });
    });

    it('reuses the stored decisions after its client has disconnected', async () => {
      const lastAgentCalled = Promise.withResolvers<void>();
      answerOf = (name) => {
        if (name === 'Thrift') lastAgentCalled.resolve();
        return toDecision({ priceChange: 1 });
      };
      const simulationClient = await createClientWithAgents();
      const id = await simulationClient.createSimulation();
      const controller = new AbortController();
      const key = { headers: { ...STREAM, 'x-api-key': simulationClient.apiKey }, method: 'POST' };
      const index = ADVANCE_PATH.replace('{id}', id);
      const response = await simulationClient.client.open(index, {
        ...key,
        signal: controller.signal,
      });
      await lastAgentCalled.promise;
      controller.abort();
      await expect(response.text()).rejects.toThrow('abort');
      // The abort may have stopped the turn; then its retry must reuse the panel's decision instead
      // of calling the models again.
      const { currentTurn } = await simulationClient.read(id);
      if (currentTurn === 0) await simulationClient.advance(id);
      expect(await simulationClient.read(id)).toMatchObject({ currentTurn: 1 });
      expect(council.calls).toHaveLength(NAMES.length);
    });
  });
});

const DESCRIBED_COMPANY = {
  revenue: 1_200_000,
  employees: 12,
  about: 'a shop of second-hand tubas',
};

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);

describe('the council of a new system without a provider', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await openTestSystem({ hasCouncil: true });
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  it('completes a simulation with a report, all of which can be recomputed', async () => {
    const client = createHttpClient(system);
    const post = async <T>(path: string, body: object = {}): Promise<T> => {
      const { status, text, json } = await client.send(`${LIST_PATH}${path}`, { body });
      expect([path, status < 300, text]).toEqual([path, true, expect.anything()]);
      return json as T;
    };
    const body = { name: 'North', turnUnit: 'year', companyBase: COMPANY, horizonTurns: 2 };
    const { id } = (await post<{ simulation: { id: string } }>('', body)).simulation;
    const first = await post<Advanced>(`/${id}/advance`);
    const { decisions } = first.states[0]!;
    expect(decisions).toMatchObject({ fallback: false, absentAgents: [] });
    expect(decisions.proposals).toHaveLength(5);
    // Without a model the council holds the course.
    expect(new Set(decisions.proposals.map(({ levers }) => JSON.stringify(levers))).size).toBe(1);
    expect(decisions).toMatchObject({ clamped: [] });
    expect((await post<Advanced>(`/${id}/advance`)).finalized).toBe(true);
    const { json } = await client.send(`${LIST_PATH}/${id}/report`);
    expect(json).toMatchObject({ report: { summary: expect.stringMatching(/\S/) } });
    const replayed = await post(`/${id}/replay`);
    expect(replayed).toEqual({ matches: true, turns: 2, mismatches: [] });
  });
});

const describeWithNats = NATS_MISSING === undefined ? describe : describe.skip;
const skipReason = NATS_MISSING === undefined ? '' : ` (${NATS_MISSING})`;

describeWithNats(`webhooks of a simulation${skipReason}`, () => {
  let simulations: Simulations;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await openReceiver();
    const env = { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' };
    simulations = await openSimulations({ transport: 'in-process', nats: true, env });
  });
  afterAll(async () => {
    await simulations[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  it('sends one event for each turn and one for the report', async () => {
    const simulationClient = await simulations.createClient();
    const events = ['simulation.tick.completed', 'simulation.report.ready'];
    const url = receiver.urlOf('/in');
    expect(
      (await simulationClient.client.send('/v1/webhooks', { body: { url, events } })).status,
    ).toBe(201);
    const id = await simulationClient.createSimulation();
    await simulationClient.createScenario(id);
    const disabledScenario = await simulationClient.createScenario(id);
    await simulationClient.advance(id);
    const change = { body: { isActive: false } };
    await simulationClient.call(
      `PATCH ${SCENARIO_PATH}`,
      { id, scenarioId: disabledScenario },
      change,
    );
    await simulationClient.advance(id);
    await simulationClient.call(`POST ${FINALIZE_PATH}`, { id });
    await simulationClient.call(`POST ${FINALIZE_PATH}`, { id });
    const requests = await eventually(() => {
      const received = receiver.requestsOf('/in');
      return received.length >= 3 && received;
    }, 'the last delivery');
    const prompts = requests.map(({ body }) => {
      const { event, data } = JSON.parse(body.toString()) as WebhookBody;
      return { event, data };
    });
    expect(prompts.toSorted((one, other) => turnOf(one) - turnOf(other))).toEqual([
      { event: events[0], data: { simulationId: id, turn: 1, stateCount: 2 } },
      { event: events[0], data: { simulationId: id, turn: 2, stateCount: 1 } },
      { event: events[1], data: { simulationId: id, name: 'North', turnsCompleted: 2 } },
    ]);
  });
});

type WebhookBody = { event: string; data: { turn?: number } };
const turnOf = ({ data }: WebhookBody): number => data.turn ?? Infinity;
