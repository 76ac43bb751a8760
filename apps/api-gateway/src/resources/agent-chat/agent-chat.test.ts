import { afterEach, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { ChatEventSchema, notFound, ServiceError } from '@witan/contracts';
import type { ChatEvent } from '@witan/contracts';
import type { ChatService } from '@witan/contracts/services';
import { commit } from '@witan/proof';
import type { Client } from '@witan/service-kit';
import { openRoutes } from '../../../test/open-routes.ts';
import type { OpenRoutes } from '../../../test/open-routes.ts';
import {
  errorOf,
  expectAborted,
  MID_STREAM_FAILURES,
  createFakeStream,
} from '../../../test/create-fake-stream.ts';
import type { RecordedCall } from '../../../test/create-fake-stream.ts';
import { agentChatRoute } from './agent-chat.ts';

const open: OpenRoutes[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((routes) => routes[Symbol.asyncDispose]()));
});

const TIMEOUT_MS = 5_000;
const STREAM = { accept: 'text/event-stream' };

const toEvent = (event: ChatEvent['event']): ChatEvent => create(ChatEventSchema, { event });

const OPENED_EVENT = create(ChatEventSchema, {
  event: {
    case: 'opened',
    value: {
      agentId: 'agt_1',
      agentName: 'Ann',
      sessionId: 'ses_1',
      model: 'modèle 1',
      proofId: 'pf_9',
      droppedParams: ['temperature'],
    },
  },
});
const ENDED_EVENT = create(ChatEventSchema, {
  event: {
    case: 'ended',
    value: {
      agentRole: 'CFO',
      content: 'Hold "cash".\n',
      memoriesSaved: [{ key: 'runway', value: '9 months', type: 'fact' }],
      extracted: [{ category: 'goal', key: 'raise', value: '2M', confidence: 0.9 }],
      usage: { promptTokens: 7, completionTokens: 5, totalTokens: 12, estimated: true },
      proofIds: ['pf_9', 'pf_10'],
      memoriesOmitted: 2,
      finishReason: 'length',
      exchangesSummarized: 3,
    },
  },
});
const ANSWER = {
  agentId: 'agt_1',
  agentName: 'Ann',
  agentRole: 'CFO',
  content: 'Hold "cash".\n',
  contentParsed: null,
  finishReason: 'length',
  sessionId: 'ses_1',
  memoriesSaved: [{ key: 'runway', value: '9 months', type: 'fact' }],
  extracted: [{ category: 'goal', key: 'raise', value: '2M', confidence: 0.9 }],
  tokenUsage: { promptTokens: 7, completionTokens: 5, totalTokens: 12 },
  toolCalls: [],
};
const INTERRUPTED = new ServiceError('PROVIDER_STREAM_CUT', 'The provider broke off.');

type Request = Parameters<Client<typeof ChatService>['chat']>[0];

const openChat = async (events: readonly ChatEvent[], fails?: Error | Promise<never>) => {
  const { client, seen } = createFakeStream<typeof ChatService, Request>(events, fails);
  const routes = await openRoutes([agentChatRoute(client, TIMEOUT_MS)]);
  open.push(routes);
  const send = (
    headers: Record<string, string> = {},
    body: object = { message: 'Hi' },
    signal?: AbortSignal,
  ) => routes.send('/v1/agents/agt_1/chat', { headers, body, ...(signal ? { signal } : {}) });
  return { send, seen };
};

const proofHeadersOf = ({ headers }: Response) =>
  [
    'x-service-proof',
    'x-service-model',
    'x-service-proofs',
    'x-service-memories-omitted',
    'x-service-exchanges-summarized',
  ].map((name) => headers.get(name));

describe('a chat with an agent', () => {
  it('returns the complete answer and its proof', async () => {
    const { send } = await openChat([OPENED_EVENT, ENDED_EVENT]);
    const response = await send();
    expect([response.status, await response.json()]).toEqual([200, ANSWER]);
    expect(proofHeadersOf(response)).toEqual(['pf_9', 'mod%C3%A8le%201', 'pf_9, pf_10', '2', '3']);
    expect(response.headers.get('x-service-dropped-params')).toBe('temperature');
  });

  it('returns the requested object and the thoughts', async () => {
    const endedEvent = structuredClone(ENDED_EVENT.event.value as object);
    const event = { ...endedEvent, content: '{"a":1}', contentJson: '{"a":1}', thoughts: '' };
    const json = create(ChatEventSchema, { event: { case: 'ended', value: event } });
    const response = await (await openChat([OPENED_EVENT, json])).send();
    const expected = { ...ANSWER, content: '{"a":1}', contentParsed: { a: 1 }, thoughts: '' };
    expect(await response.json()).toEqual(expected);
  });

  it('passes proof id, commitment to the body, and caller to the service', async () => {
    const { send, seen } = await openChat([OPENED_EVENT, ENDED_EVENT]);
    const body = { message: 'Hi', unknown: [1, { b: 2, a: 3 }] };
    const response = await send({ 'x-request-id': 'req_12345678' }, body);
    expect(response.headers.get('x-service-ignored-fields')).toBe('unknown');
    const [{ request, options }] = seen as [RecordedCall<Request>];
    expect(request).toMatchObject({ agentId: 'agt_1', message: 'Hi', requestSha256: commit(body) });
    expect(request.proofId).toMatch(/^pf_[0-9A-Za-z]+$/);
    const { workspaceId, requestId, timeoutMs } = options;
    expect([workspaceId, requestId, timeoutMs]).toEqual(['ws_1', 'req_12345678', TIMEOUT_MS]);
  });

  it('names its certificate if it fails after its start', async () => {
    const response = await (await openChat([OPENED_EVENT], INTERRUPTED)).send();
    expect([response.status, (await errorOf(response)).code]).toEqual([502, 'provider_error']);
    expect(proofHeadersOf(response).slice(0, 2)).toEqual(['pf_9', 'mod%C3%A8le%201']);
  });

  it('fails if the service ends without an answer', async () => {
    const response = await (await openChat([OPENED_EVENT])).send();
    expect(response.status).toBe(500);
  });
});

describe('a streamed chat', () => {
  const delta = (text: string): ChatEvent => toEvent({ case: 'delta', value: text });
  const HEAD = ':\n\n';

  it.each([
    ['text/event-stream', true],
    ['text/event-stream;q=0.9, application/json;q=0.1', true],
    ['application/json, text/event-stream', false],
    ['*/*', false],
    ['text/html', false],
  ])('is sent to a client with Accept: %s: %s', async (accept, isStreamed) => {
    const response = await (await openChat([OPENED_EVENT, ENDED_EVENT])).send({ accept });
    const type = isStreamed
      ? 'text/event-stream; charset=utf-8'
      : 'application/json; charset=utf-8';
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('x-service-dropped-params')).toBe('temperature');
    await response.text();
  });

  it('sends the pieces, then the complete answer', async () => {
    const { send } = await openChat([
      OPENED_EVENT,
      delta('Hold '),
      delta('"cash".\n'),
      ENDED_EVENT,
    ]);
    const response = await send(STREAM);
    expect(proofHeadersOf(response).slice(0, 2)).toEqual(['pf_9', 'mod%C3%A8le%201']);
    const counts = { memoriesOmitted: 2, exchangesSummarized: 3 };
    const done = { ...ANSWER, proofs: ['pf_9', 'pf_10'], ...counts };
    expect(await response.text()).toBe(
      `${HEAD}event: delta\ndata: {"content":"Hold "}\n\n` +
        `event: delta\ndata: {"content":"\\"cash\\".\\n"}\n\n` +
        `event: done\ndata: ${JSON.stringify(done)}\n\n`,
    );
  });

  it('returns the status of a failure before the first piece', async () => {
    const { send } = await openChat([], notFound('There is no such agent.'));
    const response = await send(STREAM);
    expect([response.status, (await errorOf(response)).code]).toEqual([404, 'not_found']);
  });

  it('fails if the service ends without any event', async () => {
    const response = await (await openChat([])).send(STREAM);
    expect([response.status, (await errorOf(response)).code]).toEqual([500, 'internal_error']);
  });

  it('ends in an error event if the service ends without an answer', async () => {
    const response = await (await openChat([OPENED_EVENT, delta('Hold ')])).send(STREAM);
    const text = await response.text();
    expect(text).toContain('event: error');
    expect(text).toContain('internal_error');
  });

  it.each(MID_STREAM_FAILURES)(
    'ends in an error event after %s, and nothing follows',
    async (...failed) => {
      const [, failure, expected] = failed;
      const { send } = await openChat([OPENED_EVENT, delta('Hold ')], failure);
      const response = await send({ ...STREAM, 'x-request-id': 'req_12345678' });
      const text = await response.text();
      const [, , last, end] = text.split('\n\n');
      expect([response.status, end]).toEqual([200, '']);
      const [event, data] = last!.split('\n');
      expect(event).toBe('event: error');
      const { error } = JSON.parse(data!.slice('data: '.length)) as { error: object };
      expect(error).toMatchObject({ ...expected, requestId: 'req_12345678' });
      expect(text).not.toContain('SELECT');
    },
  );

  it('is aborted when its client disconnects', () =>
    expectAborted(async (hanging) => {
      const { send, seen } = await openChat([OPENED_EVENT, delta('Hold ')], hanging);
      return { seen, send: (signal) => send(STREAM, { message: 'Hi' }, signal) };
    }));
});

describe('the validation of a chat', () => {
  it.each([
    ['no message', {}, 'message'],
    ['a blank message', { message: ' \n' }, 'message'],
    ['a message with NUL', { message: 'a\0b' }, 'message'],
    ['a message that is too long', { message: 'a'.repeat(32_001) }, 'message'],
    ['too much context', { context: Array(33).fill({ category: 'c', data: '' }) }, 'context'],
    ['context that is a number', { context: [{ category: 'c', data: 5 }] }, 'context[0].data'],
    ['context without a category', { context: [{ data: 'x' }] }, 'context[0].category'],
    [
      'an unknown priority',
      { context: [{ category: 'c', data: 'x', priority: 'urgent' }] },
      'context[0].priority',
    ],
    ['a temperature below 0', { options: { temperature: -0.1 } }, 'options.temperature'],
    ['a temperature above 2', { options: { temperature: 2.1 } }, 'options.temperature'],
    ['99 tokens', { options: { maxTokens: 99 } }, 'options.maxTokens'],
    ['4001 tokens', { options: { maxTokens: 4_001 } }, 'options.maxTokens'],
    ['a fraction of a token', { options: { maxTokens: 100.5 } }, 'options.maxTokens'],
    ['an unknown format', { responseFormat: { type: 'xml' } }, 'responseFormat.type'],
    [
      'a field without a description',
      { responseFormat: { fields: { a: 1 } } },
      'responseFormat.fields.a',
    ],
    ['no categories', { extraction: { categories: [] } }, 'extraction.categories'],
    ['a tool that is a number', { tools: { enabled: true, toolIds: [5] } }, 'tools.toolIds[0]'],
  ])('refuses %s', async (name, more, param) => {
    const { send, seen } = await openChat([OPENED_EVENT, ENDED_EVENT]);
    const response = await send({}, name === 'no message' ? more : { message: 'Hi', ...more });
    const error = await errorOf(response);
    expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', param]);
    expect(seen).toEqual([]);
  });

  it('accepts the maximum of every limit', async () => {
    const { send } = await openChat([OPENED_EVENT, ENDED_EVENT]);
    const response = await send(
      {},
      {
        message: '🙂'.repeat(32_000),
        context: Array(32).fill({ category: 'c', data: {} }),
        options: { temperature: 2, maxTokens: 4_000 },
      },
    );
    expect(response.status).toBe(200);
  });
});
