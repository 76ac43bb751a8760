import { afterEach, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { AdvanceEventSchema, conflict, notFound, ServiceError } from '@witan/contracts';
import type { AdvanceEvent } from '@witan/contracts';
import type { SimulationService } from '@witan/contracts/services';
import { commit } from '@witan/proof';
import { openRoutes } from '../../../test/open-routes.ts';
import type { OpenRoutes } from '../../../test/open-routes.ts';
import { errorOf, expectAborted, createFakeStream } from '../../../test/create-fake-stream.ts';
import type { RecordedCall } from '../../../test/create-fake-stream.ts';
import { SCENARIO, STATE } from '../../../test/simulation-messages.ts';
import { advanceRoute, encodeFrame } from './simulation-advance.ts';

const open: OpenRoutes[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((routes) => routes[Symbol.asyncDispose]()));
});

const TIMEOUT_MS = 5_000;
const STREAM = { accept: 'text/event-stream' };
const ADVANCE_PATH = '/v1/sim-engine/simulations/sim_1/advance';

type Init = NonNullable<Parameters<typeof create<typeof AdvanceEventSchema>>[1]>;
const toEvent = (event: Init['event']): AdvanceEvent => create(AdvanceEventSchema, { event });

const STARTED_EVENT = toEvent({ case: 'started', value: { turn: 2, scenarios: [SCENARIO] } });
const DECIDED_EVENT = toEvent({
  case: 'decided',
  value: {
    scenarioId: 'scn_1',
    decisions: '{"levers":{"priceChange":0.50}}',
    convergenceScore: 0.75,
    absentAgents: ['Cy'],
  },
});
const STEPPED_EVENT = toEvent({ case: 'stepped', value: { state: STATE } });
const SECOND_STATE = { ...STATE, id: 'sta_2', scenarioId: 'scn_2', proofIds: ['pf_2', 'pf_3'] };
const ADVANCED_EVENT = toEvent({
  case: 'advanced',
  value: { states: [STATE, SECOND_STATE], currentTurn: 2, usage: { totalTokens: 12 } },
});
const ALL_EVENTS = [STARTED_EVENT, DECIDED_EVENT, STEPPED_EVENT, ADVANCED_EVENT];
const INTERRUPTED = new ServiceError('UNAVAILABLE', 'The service went away.');

const openAdvance = async (events: readonly AdvanceEvent[], fails?: Error | Promise<never>) => {
  const { client, seen } = createFakeStream<typeof SimulationService>(events, fails);
  const routes = await openRoutes([advanceRoute(client, TIMEOUT_MS)]);
  open.push(routes);
  const send = (headers: Record<string, string> = {}, body?: object, signal?: AbortSignal) =>
    routes.send(ADVANCE_PATH, {
      method: 'POST',
      headers,
      ...(body && { body }),
      ...(signal && { signal }),
    });
  return { send, seen };
};

describe('an advance', () => {
  it('returns a state for each scenario with the totals', async () => {
    const { send, seen } = await openAdvance(ALL_EVENTS);
    const body = { expectedTurn: 1 };
    const response = await send({}, body);
    const json = (await response.json()) as object;
    expect([response.status, Object.keys(json)]).toEqual([
      200,
      ['states', 'currentTurn', 'finalized', 'usage', 'proofs'],
    ]);
    expect(json).toMatchObject({
      states: [{ id: 'sta_1' }, { id: 'sta_2' }],
      currentTurn: 2,
      finalized: false,
      usage: { totalTokens: 12 },
      proofs: ['pf_1', 'pf_2', 'pf_3'],
    });
    const [{ request, options }] = seen as [RecordedCall];
    const requestSha256 = commit(body);
    expect(request).toEqual({ simulationId: 'sim_1', expectedTurn: 1, requestSha256 });
    expect([options.workspaceId, options.timeoutMs]).toEqual(['ws_1', TIMEOUT_MS]);
  });

  it('needs no body, and accepts an expected turn 0', async () => {
    const { send, seen } = await openAdvance(ALL_EVENTS);
    expect((await send()).status).toBe(200);
    expect((await send({}, { expectedTurn: 0 })).status).toBe(200);
    expect(seen.map(({ request }) => request)).toMatchObject([
      { expectedTurn: undefined },
      { expectedTurn: 0 },
    ]);
  });

  it.each([
    ['for a finalized simulation', conflict('', { code: 'simulation_finalized' }), 409],
    ['at another turn', conflict('', { code: 'turn_conflict' }), 409],
    ['for an unknown simulation', notFound('None.'), 404],
    ['without a final event', undefined, 500],
  ])('returns the status of a failure %s, streamed or not', async (_name, failure, status) => {
    const { send } = await openAdvance([], failure);
    for (const headers of [{}, STREAM]) {
      const response = await send(headers);
      expect([response.status, (await errorOf(response)).code]).toEqual([
        status,
        failure?.fields.code ?? (status === 404 ? 'not_found' : 'internal_error'),
      ]);
    }
  });

  it('fails if it ends before its final event', async () => {
    const response = await (await openAdvance([STARTED_EVENT, STEPPED_EVENT], INTERRUPTED)).send();
    expect(response.status).toBe(503);
  });

  it.each([-1, 1.5, '1', null, 2 ** 32])(
    'is refused with the expected turn %j',
    async (expectedTurn) => {
      const { send, seen } = await openAdvance(ALL_EVENTS);
      for (const headers of [{}, STREAM]) {
        const response = await send(headers, { expectedTurn });
        expect([response.status, (await errorOf(response)).param]).toEqual([400, 'expectedTurn']);
      }
      expect(seen).toEqual([]);
    },
  );
});

describe('a streamed advance', () => {
  it('sends all events to the end', async () => {
    const response = await (await openAdvance(ALL_EVENTS)).send(STREAM);
    const type = response.headers.get('content-type');
    expect([response.status, type]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const [comment, ...frames] = (await response.text()).split('\n\n').slice(0, -1);
    expect(comment).toBe(':');
    expect(frames.map((frame) => /^event: (.*)\ndata: \{/.exec(frame)?.[1])).toEqual([
      'advance.started',
      'scenario.decided',
      'scenario.stepped',
      'done',
    ]);
    expect(frames[1]).toContain('"decisions":{"levers":{"priceChange":0.50}}');
    const plain = await (await openAdvance(ALL_EVENTS)).send();
    expect(frames[3]).toBe(`event: done\ndata: ${await plain.text()}`);
  });

  it.each([
    ['a failure with a reason', INTERRUPTED, 'unavailable'],
    ['a bug', new Error('SELECT secret'), 'internal_error'],
    ['a missing final event', undefined, 'internal_error'],
  ])('ends in an error after %s', async (_name, failure, code) => {
    const response = await (await openAdvance([STARTED_EVENT], failure)).send(STREAM);
    const last = (await response.text()).split('\n\n').at(-2)!;
    expect(last).toMatch(new RegExp(`^event: error\\ndata: .*"code":"${code}"`));
    expect(last).not.toContain('SELECT');
  });

  it('is aborted when its client disconnects', async () => {
    await expectAborted(async (hanging) => {
      const { send, seen } = await openAdvance([STARTED_EVENT], hanging);
      return { seen, send: (signal) => send(STREAM, {}, signal) };
    });
  });
});

describe('an event of an advance', () => {
  it('encodes a decision without an agent', () => {
    const value = { scenarioId: 'scn_1', fallback: true };
    const [event, data] = encodeFrame(toEvent({ case: 'decided', value }))
      .trimEnd()
      .split('\n');
    expect(event).toBe('event: scenario.decided');
    expect(JSON.parse(data!.slice('data: '.length))).toEqual({
      scenarioId: 'scn_1',
      decisions: {},
      convergenceScore: 0,
      absentAgents: [],
      fallback: true,
    });
  });

  it('is skipped if its type is unknown', () => {
    expect(encodeFrame(create(AdvanceEventSchema))).toBe('');
  });
});
