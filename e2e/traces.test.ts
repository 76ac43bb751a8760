import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith, eventually, NATS_MISSING, openReceiver, respondWith } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { personaWithStance } from './answer-as-council.ts';
import { findDeviations, isGenAiSpan } from './genai-conventions.ts';
import type { GenAiSpan } from './genai-conventions.ts';
import { openConversations } from './open-conversations.ts';
import type { CouncilClient, Conversations } from './open-conversations.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { hopsOf, pathOf, watchSpans } from './watch-spans.ts';
import type { SeenSpan, SpanWatch } from './watch-spans.ts';

const CHAT = 'POST /v1/agents/{id}/chat';
const COMPLETION = 'POST /v1/chat/completions';
const INVOCATION = 'invoke_agent treasurer';
const DETAILED_USAGE = {
  prompt_tokens: 9,
  completion_tokens: 7,
  total_tokens: 16,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 5 },
};
const CALLER_TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN_ID = 'b7ad6b7169203331';

const findSpans = (trace: readonly SeenSpan[], name: string): SeenSpan[] =>
  trace.filter((span) => span.name === name);

describe.each(TRANSPORTS)('the trace of an agent chat, services over %s', (transport) => {
  let fixture: Fixture;
  let receiver: Receiver;
  let watch: SpanWatch;
  let agentId = '';

  beforeAll(async () => {
    receiver = await openReceiver();
    watch = watchSpans();
    const settings = { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1', WITAN_MODEL_FULL: 'gpt-full' };
    const env = { ...watch.options.env, ...settings };
    fixture = await openFixture({ transport, ...watch.options, env });
    const body = { name: 'Treasurer', systemPrompt: 'You hedge.' };
    const { json } = await fixture.client.send('/v1/agents', { body });
    agentId = (json as { agent: { id: string } }).agent.id;
    receiver.respond('/rate', (_requestIndex, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"rate":1.08}');
      return 'wait';
    });
    const parameters = { type: 'object', properties: { pair: { type: 'string' } } };
    const tool = { name: 'rate', description: 'Rates', parameters, agentIds: [agentId] };
    const init = { body: { ...tool, url: receiver.urlOf('/rate') } };
    expect((await fixture.client.send('/v1/tools', init)).status).toBe(201);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const chat = async (headers: Record<string, string> = {}): Promise<string> => {
    const toolCalls = [{ name: 'rate', arguments: '{"pair":"EURUSD"}' }];
    fixture.provider.script(answerWith({ toolCalls }));
    fixture.provider.script(answerWith({ content: 'At 1.08, no.' }));
    const { status, headers: responseHeaders } = await fixture.client.send(
      `/v1/agents/${agentId}/chat`,
      {
        body: { message: 'Hedge the dollar?', tools: { enabled: true } },
        headers: { 'x-api-key': fixture.system.apiKey, ...headers },
      },
    );
    expect(status).toBe(200);
    return responseHeaders.get('x-request-id')!;
  };
  const whenTraced = (requestId: string): Promise<readonly SeenSpan[]> =>
    watch.whenTrace(
      ({ name, attributes }) => name === CHAT && attributes['witan.request.id'] === requestId,
      [CHAT, INVOCATION, 'execute_tool rate', 'POST', 'chat gpt-full', 'write append'],
    );

  it('is one tree: api-gateway, agents, llm-gateway, ledger, and the POST of the tool', async () => {
    const trace = await whenTraced(await chat());
    const roots = trace.filter(({ parentId }) => parentId === undefined);
    expect(roots.map(({ service, name }) => [service, name])).toEqual([['api-gateway', CHAT]]);
    expect(hopsOf(trace)).toEqual([
      'agents > llm-gateway',
      'api-gateway > agents',
      'llm-gateway > ledger',
    ]);
    const turn = [
      `api-gateway: ${CHAT}`,
      'agents: witan.agents.v1.ChatService/Chat',
      `agents: ${INVOCATION}`,
    ];
    expect(pathOf(trace, findSpans(trace, 'POST')[0]!)).toEqual([
      ...turn,
      'agents: execute_tool rate',
      'agents: POST',
    ]);
    const model = [...turn, 'llm-gateway: witan.llm.v1.CompletionService/CompleteAs'];
    for (const one of findSpans(trace, 'chat gpt-full')) {
      expect(pathOf(trace, one)).toEqual([...model, 'llm-gateway: chat gpt-full']);
    }
    const writes = trace.filter(({ service }) => service === 'ledger');
    expect(writes.map(({ name }) => name).toSorted()).toEqual(
      ['write append', 'write append', 'write reserve', 'write reserve'].toSorted(),
    );
    for (const write of writes) {
      expect(pathOf(trace, write)).toEqual([...model, `ledger: ${write.name}`]);
    }
  });

  it('follows the conventions for generative AI', async () => {
    const trace = await whenTraced(await chat());
    const spans = trace.filter(isGenAiSpan);
    expect(spans.map(({ name }) => name).toSorted()).toEqual(
      ['chat gpt-full', 'chat gpt-full', 'execute_tool rate', INVOCATION].toSorted(),
    );
    expect(spans.flatMap(findDeviations)).toEqual([]);
    const calls = findSpans(trace, 'chat gpt-full');
    expect(calls.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).toEqual([
      ['tool_calls'],
      ['stop'],
    ]);
    const [invocation] = findSpans(trace, INVOCATION);
    const sumOf = (name: string): number =>
      calls.reduce((sum, { attributes }) => sum + Number(attributes[name]), 0);
    expect(invocation!.attributes).toMatchObject({
      'gen_ai.agent.id': agentId,
      'gen_ai.conversation.id': expect.stringMatching(/^ses_/),
      'gen_ai.usage.input_tokens': sumOf('gen_ai.usage.input_tokens'),
      'gen_ai.usage.output_tokens': sumOf('gen_ai.usage.output_tokens'),
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect(findSpans(trace, 'execute_tool rate')[0]!.attributes).toMatchObject({
      'gen_ai.tool.type': 'function',
      'gen_ai.agent.name': 'treasurer',
    });
  });

  it.each([
    [
      'a stream with cached and reasoning tokens',
      answerWith({ content: 'Yes.', usage: DETAILED_USAGE }),
      { model: 'gpt-full', stream: true },
      {
        'gen_ai.request.stream': true,
        'gen_ai.usage.input_tokens': 9,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.usage.cache_read.input_tokens': 4,
        'gen_ai.usage.reasoning.output_tokens': 5,
      },
    ],
    [
      'a refused call',
      respondWith({ status: 400, body: { error: { message: 'No.' } } }),
      { model: 'gpt-full' },
      { 'error.type': 'PROVIDER_REFUSED', 'http.response.status_code': 400 },
    ],
  ])('follows the conventions for %s', async (_name, script, body, expected) => {
    fixture.provider.script(script);
    const messages = [{ role: 'user', content: 'Shall we?' }];
    const { headers } = await fixture.client.complete({ ...body, messages });
    const requestId = headers.get('x-request-id');
    const trace = await watch.whenTrace(
      ({ name, attributes }) => name === COMPLETION && attributes['witan.request.id'] === requestId,
      ['chat gpt-full'],
    );
    const [call] = trace.filter(isGenAiSpan);
    expect(findDeviations(call!)).toEqual([]);
    expect(call!.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai', ...expected });
  });

  it("continues the caller's trace, and is not sent to third parties", async () => {
    const traceparent = `00-${CALLER_TRACE_ID}-${CALLER_SPAN_ID}-01`;
    await chat({ traceparent, baggage: 'user=alice' });
    const gatewaySpan = await eventually(
      () => watch.spans.find(({ traceId, name }) => traceId === CALLER_TRACE_ID && name === CHAT),
      "The api-gateway's span",
    );
    expect(gatewaySpan.parentId).toBe(CALLER_SPAN_ID);
    const egressRequests = [...receiver.requestsOf('/rate'), ...fixture.calls()];
    for (const { headers } of egressRequests) {
      const seenHeaders = Object.keys(headers);
      expect(seenHeaders).not.toContain('traceparent');
      expect(seenHeaders).not.toContain('baggage');
    }
  });

  it('is not recorded if the caller did not sample it', async () => {
    const unsampledTraceId = 'c'.repeat(32);
    await chat({ traceparent: `00-${unsampledTraceId}-${CALLER_SPAN_ID}-00` });
    await whenTraced(await chat());
    expect(watch.spans.filter(({ traceId }) => traceId === unsampledTraceId)).toEqual([]);
  });

  it('is linked from commits that its writes share with others', async () => {
    const { traceId } = (await whenTraced(await chat()))[0]!;
    const commits = findSpans(watch.spans, 'commit');
    const linkedCommits = commits.filter(({ links }) => links.includes(traceId));
    expect(linkedCommits.length).toBeGreaterThan(0);
    expect(
      new Set(linkedCommits.map(({ service, parentId }) => [service, parentId].join())),
    ).toEqual(new Set(['ledger,']));
  });

  it('is named in the log', async () => {
    const requestId = await chat();
    const [{ traceId } = { traceId: '' }] = await whenTraced(requestId);
    const toolCallLogs = fixture.system.logLines
      .map((text) => JSON.parse(text) as { event?: string; traceId?: string })
      .filter(({ event }) => event === 'tool_called');
    expect(toolCallLogs.at(-1)?.traceId).toBe(traceId);
  });

  it('fails if the call fails, without content in the error', async () => {
    const path = '/v1/agents/agt_none/chat';
    const { headers, status } = await fixture.client.send(path, { body: { message: 'Hello?' } });
    expect(status).toBe(404);
    const requestId = headers.get('x-request-id');
    const trace = await watch.whenTrace(
      ({ name, attributes }) => name === CHAT && attributes['witan.request.id'] === requestId,
      [],
    );
    // Errors of the client (4xx) do not mark a server span as failed.
    expect(
      trace.filter(({ hasFailed, service }) => hasFailed && service === 'api-gateway'),
    ).toEqual([]);
    expect(findSpans(trace, CHAT)[0]!.attributes).toMatchObject({
      'http.response.status_code': 404,
    });
    const serverSpan = findSpans(trace, 'witan.agents.v1.ChatService/Chat')[0]!;
    expect(serverSpan.attributes['error.type']).toBe('NOT_FOUND');
  });
});

const itWithBroker = NATS_MISSING === undefined ? it : it.skip;
const SKIP_REASON = NATS_MISSING === undefined ? '' : ` (${NATS_MISSING})`;

describe.each(TRANSPORTS)(`the trace of an event, services over %s${SKIP_REASON}`, (transport) => {
  let conversations: Conversations;
  let councilClient: CouncilClient;
  let receiver: Receiver;
  let watch: SpanWatch;

  beforeAll(async () => {
    if (NATS_MISSING !== undefined) return;
    receiver = await openReceiver();
    watch = watchSpans();
    const env = { ...watch.options.env, WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' };
    conversations = await openConversations({ transport, nats: true, ...watch.options, env });
    councilClient = await conversations.createClient([
      personaWithStance('Finance', 1),
      personaWithStance('Product', 1),
    ]);
  });
  afterAll(async () => {
    await conversations?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
  });

  itWithBroker('goes from the message that began a debate to the POST of a webhook', async () => {
    const draft = { url: receiver.urlOf('/in'), events: ['debate.synthesized'] };
    expect((await councilClient.client.send('/v1/webhooks', { body: draft })).status).toBe(201);
    const answer = await councilClient.ask(await councilClient.createConversation());
    expect(answer.status).toBe(200);
    const message = 'POST /v1/conversations/{id}/message';
    const trace = await watch.whenTrace(
      ({ name }) => name === message,
      [message, 'process EVENTS', 'deliver', 'POST'],
    );
    expect(trace.filter(({ parentId }) => parentId === undefined)).toHaveLength(1);
    const post = trace.find(({ name, service }) => name === 'POST' && service === 'notifier')!;
    const path = pathOf(trace, post);
    expect([path[0], ...path.slice(-3)]).toEqual([
      `api-gateway: ${message}`,
      'notifier: process EVENTS',
      'notifier: deliver',
      'notifier: POST',
    ]);
    expect(post.attributes).toMatchObject({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
    });
    expect(Object.keys(receiver.requestsOf('/in')[0]!.headers)).not.toContain('traceparent');
    expect(watch.text()).not.toContain('Shall we hire?');
  });
});

describe('the check of spans', () => {
  const span: GenAiSpan = {
    name: 'chat gpt-full',
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-full',
      'gen_ai.usage.input_tokens': 9,
    },
    hasFailed: false,
  };
  const withAttribute = (name: string, value: unknown): GenAiSpan => ({
    ...span,
    attributes: { ...span.attributes, [name]: value },
  });

  it.each<[string, GenAiSpan, string]>([
    ['another name', { ...span, name: 'chat' }, 'the name is chat, not chat gpt-full'],
    ['another kind', { ...span, kind: 'internal' }, 'the kind is internal, not client'],
    [
      'an unknown operation',
      withAttribute('gen_ai.operation.name', 'completion'),
      'the operation completion is not one of the conventions',
    ],
    [
      'no provider',
      withAttribute('gen_ai.provider.name', undefined),
      'gen_ai.provider.name is missing',
    ],
    ['a failure without its type', { ...span, hasFailed: true }, 'error.type is missing'],
    [
      'content',
      withAttribute('gen_ai.input.messages', '[]'),
      'gen_ai.input.messages is not an attribute of this span',
    ],
    [
      'a renamed attribute',
      withAttribute('gen_ai.usage.prompt_tokens', 9),
      'gen_ai.usage.prompt_tokens is not an attribute of this span',
    ],
    [
      'a value of another type',
      withAttribute('gen_ai.usage.output_tokens', '7'),
      'gen_ai.usage.output_tokens is no count',
    ],
    [
      'more cached than input tokens',
      withAttribute('gen_ai.usage.cache_read.input_tokens', 10),
      'gen_ai.usage.cache_read.input_tokens is more than gen_ai.usage.input_tokens',
    ],
  ])('reports %s', (_name, deviating, deviation) => {
    expect(findDeviations(deviating)).toContain(deviation);
  });

  it('accepts a span of the conventions', () => {
    expect(findDeviations(span)).toEqual([]);
  });
});
