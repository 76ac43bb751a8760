import { afterEach, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { conflict, DebateEventSchema, notFound } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';
import type { ConversationService } from '@witan/contracts/services';
import { commit } from '@witan/proof';
import { openRoutes } from '../../../test/open-routes.ts';
import type { OpenRoutes } from '../../../test/open-routes.ts';
import {
  errorOf,
  expectAborted,
  MID_STREAM_FAILURES,
  createFakeStream,
} from '../../../test/create-fake-stream.ts';
import type { RecordedCall } from '../../../test/create-fake-stream.ts';
import { conversationMessageRoute, debateEventsRoute } from './conversation-message.ts';

const open: OpenRoutes[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((routes) => routes[Symbol.asyncDispose]()));
});

const TIMEOUT_MS = 5_000;
const STREAM = { accept: 'text/event-stream' };
const MESSAGE = '/v1/conversations/cnv_1/message';
const EVENTS = '/v1/conversations/cnv_1/debates/dbt_1/events';
const TIMESTAMP = { seconds: 1_790_000_000n, nanos: 0 };

type Init = Parameters<typeof create<typeof DebateEventSchema>>[1];
const toEvent = (seq: number, event: NonNullable<Init>['event']): DebateEvent =>
  create(DebateEventSchema, { debateId: 'dbt_1', seq, event });

const USER_MESSAGE = { id: 'msg_1', senderType: 'user', content: 'Hire?', createdAt: TIMESTAMP };
const STARTED_EVENT = toEvent(1, {
  case: 'started',
  value: { conversationId: 'cnv_1', message: USER_MESSAGE, agents: [] },
});
const DELTA_EVENT = toEvent(2, { case: 'synthesisDelta', value: 'No "hire".\n' });
const DONE_EVENT = toEvent(3, {
  case: 'done',
  value: {
    convergenceScore: 0.5,
    messages: [USER_MESSAGE],
    debates: [],
    synthesis: { content: 'No.', rounds: 1, stoppedBy: 'rounds' },
    usage: { totalTokens: 12 },
  },
});
const FAILED = toEvent(3, {
  case: 'failed',
  value: { kind: 'PROVIDER_INVALID_ANSWER', code: 'debate_failed', message: 'Too few.' },
});

const openDebates = async (events: readonly DebateEvent[], failure?: Error | Promise<never>) => {
  const { client, seen } = createFakeStream<typeof ConversationService>(events, failure);
  const routes = await openRoutes([
    conversationMessageRoute(client, TIMEOUT_MS),
    debateEventsRoute(client, TIMEOUT_MS),
  ]);
  open.push(routes);
  const send = (
    headers: Record<string, string> = {},
    body: object = { content: 'Hire?' },
    signal?: AbortSignal,
  ) => routes.send(MESSAGE, { headers, body, ...(signal ? { signal } : {}) });
  const follow = (headers: Record<string, string> = {}, path = EVENTS) =>
    routes.send(path, { headers });
  return { send, follow, seen };
};

describe('a message to the council', () => {
  it('returns the complete result', async () => {
    const { send, seen } = await openDebates([STARTED_EVENT, DONE_EVENT]);
    const body = { content: 'Hire?', unknown: 1 };
    const response = await send({ 'x-request-id': 'req_12345678' }, body);
    expect(response.headers.get('x-service-ignored-fields')).toBe('unknown');
    const json = (await response.json()) as object;
    expect([response.status, Object.keys(json)]).toEqual([
      200,
      ['messages', 'convergenceScore', 'debateId', 'debates', 'synthesis', 'usage', 'proofs'],
    ]);
    expect(json).toMatchObject({ convergenceScore: 0.5, debateId: 'dbt_1' });
    const [{ rpc, request, options }] = seen as [RecordedCall];
    const requestSha256 = commit(body);
    const proof = { proofId: expect.stringMatching(/^pf_/), requestSha256 };
    const expected = { conversationId: 'cnv_1', content: 'Hire?', streamed: false, ...proof };
    expect([rpc, request]).toEqual(['holdDebate', expected]);
    const { workspaceId, requestId, timeoutMs } = options;
    expect([workspaceId, requestId, timeoutMs]).toEqual(['ws_1', 'req_12345678', TIMEOUT_MS]);
  });

  it.each([
    ['below quorum', [STARTED_EVENT, FAILED], undefined, 502, 'debate_failed'],
    ['without agents', [], conflict('None.', { code: 'no_agents' }), 409, 'no_agents'],
    ['in an unknown conversation', [], notFound('None.'), 404, 'not_found'],
    [
      'if the service ends without a final event',
      [STARTED_EVENT],
      undefined,
      500,
      'internal_error',
    ],
  ])('fails with the status of the service: %s', async (_name, events, failure, status, code) => {
    const response = await (await openDebates(events, failure)).send();
    expect([response.status, (await errorOf(response)).code]).toEqual([status, code]);
  });

  it.each([
    ['no content', {}, 'content'],
    ['blank content', { content: ' \n' }, 'content'],
    ['content with NUL', { content: 'a\0b' }, 'content'],
    ['content that is too long', { content: 'a'.repeat(32_001) }, 'content'],
    ['content that is not a text', { content: 5 }, 'content'],
  ])('is refused with %s', async (_name, body, param) => {
    const { send, seen } = await openDebates([STARTED_EVENT, DONE_EVENT]);
    for (const headers of [{}, STREAM]) {
      const response = await send(headers, body);
      expect([response.status, (await errorOf(response)).param]).toEqual([400, param]);
    }
    expect(seen).toEqual([]);
  });
});

describe('a streamed debate', () => {
  const framesOf = async (response: Response): Promise<string[]> =>
    (await response.text()).split('\n\n').slice(0, -1);

  it('sends each event with an id to resume from', async () => {
    const { send, seen } = await openDebates([STARTED_EVENT, DELTA_EVENT, DONE_EVENT]);
    const response = await send(STREAM);
    const type = response.headers.get('content-type');
    expect([response.status, type]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const [comment, started, piece, done, ...rest] = await framesOf(response);
    expect([comment, rest]).toEqual([':', []]);
    expect(started).toMatch(/^id: dbt_1:1\nevent: debate.started\ndata: \{"debateId":"dbt_1",/);
    expect(piece).toBe(
      'id: dbt_1:2\nevent: synthesis.delta\n' +
        'data: {"debateId":"dbt_1","seq":2,"round":0,"content":"No \\"hire\\".\\n"}',
    );
    expect(done).toMatch(/^id: dbt_1:3\nevent: done\ndata: /);
    expect(seen[0]).toMatchObject({ rpc: 'holdDebate', request: { streamed: true } });
  });

  it('ends in an error with its position if it fails', async () => {
    const response = await (await openDebates([STARTED_EVENT, FAILED])).send(STREAM);
    const last = (await framesOf(response)).at(-1)!;
    expect(last).toMatch(/^id: dbt_1:3\nevent: error\ndata: /);
    const data = JSON.parse(last.slice(last.indexOf('data: ') + 6)) as object;
    expect(data).toMatchObject({ debateId: 'dbt_1', seq: 3, error: { code: 'debate_failed' } });
  });

  it.each(MID_STREAM_FAILURES)(
    'ends in an error without a position after %s',
    async (...failed) => {
      const [, failure, { code }] = failed;
      const response = await (await openDebates([STARTED_EVENT], failure)).send(STREAM);
      const last = (await framesOf(response)).at(-1)!;
      expect(last).toMatch(new RegExp(`^event: error\\ndata: .*"code":"${code}"`));
      expect(last).not.toContain('SELECT');
    },
  );

  it('returns the status of a failure before the first event', async () => {
    const response = await (await openDebates([], notFound('None.'))).send(STREAM);
    expect([response.status, (await errorOf(response)).code]).toEqual([404, 'not_found']);
  });

  it('is aborted when its client disconnects', () =>
    expectAborted(async (hanging) => {
      const { send, seen } = await openDebates([STARTED_EVENT], hanging);
      return { seen, send: (signal) => send(STREAM, { content: 'Hire?' }, signal) };
    }));
});

describe('a client that resumes with Last-Event-ID', () => {
  const lastEventId = (id: string, more: object = {}) => ({ 'last-event-id': id, ...more });
  const followed = (afterSeq: number, streamed = true) => ({
    rpc: 'followDebate',
    request: { conversationId: 'cnv_1', debateId: 'dbt_1', afterSeq, streamed },
  });

  it('follows the debate and starts none', async () => {
    const { send, seen } = await openDebates([DONE_EVENT]);
    const response = await send(lastEventId('dbt_1:1', STREAM), {});
    expect(await response.text()).toMatch(/^:\n\nid: dbt_1:3\nevent: done\n/);
    expect(seen).toMatchObject([followed(1)]);
  });

  it('may follow by GET, also from the beginning', async () => {
    const { follow, seen } = await openDebates([STARTED_EVENT, DONE_EVENT]);
    for (const headers of [{}, lastEventId('dbt_1:1')]) {
      const response = await follow(headers);
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(/\nevent: done\n/),
      ]);
    }
    expect(seen).toMatchObject([followed(0), followed(1)]);
  });

  it('gets the complete result without a stream, from any position', async () => {
    const { send, seen } = await openDebates([STARTED_EVENT, DONE_EVENT]);
    const response = await send(lastEventId('dbt_1:2'), {});
    expect(await response.json()).toMatchObject({ debateId: 'dbt_1', convergenceScore: 0.5 });
    expect(seen).toMatchObject([followed(0, false)]);
  });

  it('gets 204 if no events are left', async () => {
    const { send, follow } = await openDebates([]);
    for (const response of [
      await send(lastEventId('dbt_1:2', STREAM), {}),
      await follow(lastEventId('dbt_1:2')),
    ]) {
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
  });

  it.each(['dbt_1', 'dbt_1:', 'dbt_1:-1', 'dbt_1:01', 'dbt_1:4294967296', 'cnv_1:1', '7'])(
    'is refused with %s',
    async (id) => {
      const { send, follow, seen } = await openDebates([DONE_EVENT]);
      for (const response of [
        await send(lastEventId(id, STREAM)),
        await send(lastEventId(id)),
        await follow(lastEventId(id)),
      ]) {
        const { code, param } = await errorOf(response);
        expect([response.status, code, param]).toEqual([400, 'invalid_request', 'Last-Event-ID']);
      }
      expect(seen).toEqual([]);
    },
  );

  it('is refused with the id of a different debate', async () => {
    const { follow, seen } = await openDebates([DONE_EVENT]);
    expect((await follow(lastEventId('dbt_2:1'))).status).toBe(400);
    expect(seen).toEqual([]);
  });

  it('starts a debate if its header is empty', async () => {
    const { send, seen } = await openDebates([STARTED_EVENT, DONE_EVENT]);
    expect((await send(lastEventId(''))).status).toBe(200);
    expect(seen).toMatchObject([{ rpc: 'holdDebate' }]);
  });

  it.each([
    ['conversation', '/v1/conversations/cnv%201/debates/dbt_1/events'],
    ['debate', '/v1/conversations/cnv_1/debates/dbt%201/events'],
  ])('returns 404 for a malformed id of a %s', async (_name, path) => {
    const { follow, seen } = await openDebates([DONE_EVENT]);
    expect((await follow({}, path)).status).toBe(404);
    expect(seen).toEqual([]);
  });
});
