import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { expectChatRefusal, expectMessageRefusal } from './expect-refusal.ts';
import type { Refusal } from './expect-refusal.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const LOCAL_MODEL = 'llama-local';
/**
 * The two models belong to providers of different dialects, so that one of the two routes is
 * translated for every client dialect.
 */
const MODELS = { WITAN_MODEL_FULL: 'claude-full', WITAN_MODEL_CHEAP: 'gpt-cheap' };
const FULL = { provider: 'anthropic', model: 'claude-full' };
const CHEAP = { provider: 'openai', model: 'gpt-cheap' };

type Dialect = {
  name: string;
  path: string;
  ping: object;
  tools: (count: number) => object[];
  system: (text: string) => object;
  openCalls: object[];
};

const userMessage = (content: unknown) => ({ role: 'user', content });
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `tool_${at}`);

const DIALECTS: Dialect[] = [
  {
    name: 'chat completions',
    path: CHAT,
    ping: PING,
    tools: (count) => names(count).map((name) => ({ type: 'function', function: { name } })),
    system: (text) => ({ messages: [{ role: 'system', content: text }, userMessage('Hello.')] }),
    openCalls: [
      userMessage('What time is it?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '12:00' },
    ],
  },
  {
    name: 'messages',
    path: MESSAGES,
    ping: MESSAGE_PING,
    tools: (count) => names(count).map((name) => ({ name, input_schema: { type: 'object' } })),
    system: (text) => ({ system: text }),
    openCalls: [
      userMessage('What time is it?'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'now', input: {} }] },
      userMessage([{ type: 'tool_result', tool_use_id: 't1', content: '12:00' }]),
    ],
  },
];

const SIGNED_REASONING = [
  userMessage('Why?'),
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'So.' },
    ],
  },
  userMessage('And then?'),
];

type ExpectedRoute = { egress: object; reason: string; taskType: string };

const simpleRoute: ExpectedRoute = { egress: CHEAP, reason: 'simple', taskType: 'chat' };

/** Returns test cases: a name, members of a request to `service-auto`, and the expected route. */
const routingCases = ({ tools, system, openCalls }: Dialect): [string, object, ExpectedRoute][] => [
  ['small talk', {}, simpleRoute],
  [
    'a demanding task',
    { messages: [userMessage('Compare and contrast the two strategies.')] },
    { egress: FULL, reason: 'complex', taskType: 'analysis' },
  ],
  [
    'code',
    { messages: [userMessage('Fix the bug in this function.')] },
    { egress: FULL, reason: 'complex', taskType: 'code' },
  ],
  ['a tool', { tools: tools(1) }, { egress: FULL, reason: 'complex', taskType: 'tools' }],
  ['many tools', { tools: tools(4) }, { egress: FULL, reason: 'harness', taskType: 'tools' }],
  [
    'a large system prompt',
    system('You are an agent. '.repeat(400)),
    { egress: FULL, reason: 'harness', taskType: 'chat' },
  ],
  [
    'an open tool call',
    { messages: openCalls, tools: tools(1) },
    { egress: FULL, reason: 'pinned', taskType: 'tools' },
  ],
];

describe.each(TRANSPORTS)('routing by address, services over %s', (transport) => {
  let local: ScriptedProvider;
  let fixture: Fixture;
  let fixtureWithoutRuntime: Fixture;

  beforeAll(async () => {
    local = await openScriptedProvider({ models: [LOCAL_MODEL] });
    const runtime = { LOCAL_BASE_URL: local.baseUrl, LOCAL_MODEL };
    fixture = await openFixture({ transport, env: { ...MODELS, ...runtime } });
    fixtureWithoutRuntime = await openFixture({
      transport,
      env: { ...MODELS, WITAN_ENV: 'production' },
    });
  });
  afterAll(async () => {
    await fixtureWithoutRuntime[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
  });

  /**
   * Makes the call plain and streamed; expects this route in the response header and the
   * certificate of each.
   */
  const expectRouted = async (
    path: string,
    body: object & { model: string },
    address: object,
    { egress, ...routing }: ExpectedRoute,
  ): Promise<void> => {
    for (const stream of [false, true]) {
      const answer = await fixture.client.send(path, { body: { ...body, stream } });
      expect(answer.status).toBe(200);
      const { payload } = await fixture.client.certificateOf(answer);
      const { sha256: _request, ...request } = payload.request;
      const { sha256: _egress, pii: _pii, ...sentTo } = payload.egress;
      expect({
        request,
        address: payload.address,
        egress: sentTo,
        routing: payload.routing,
      }).toEqual({
        request: { model: body.model },
        address,
        egress,
        routing,
      });
      expect(answer.headers.get('x-service-model')).toBe(sentTo.model);
    }
  };

  describe.each(DIALECTS)('for a client of $name', (dialect) => {
    const { path, ping } = dialect;
    const expectRefused = async (
      { client, calls }: Fixture,
      model: string,
      chat: Refusal,
      messages: Pick<Refusal, 'status' | 'type'>,
    ): Promise<Answer> => {
      const callsBefore = calls().length;
      const before = await client.listCertificates();
      const answer = await client.send(path, { body: { ...ping, model } });
      if (path === CHAT) expectChatRefusal(answer, chat);
      else expectMessageRefusal(answer, messages);
      expect(calls()).toHaveLength(callsBefore);
      expect(await client.listCertificates()).toEqual(before);
      return answer;
    };

    it.each(routingCases(dialect))(
      'sends service-auto requests by content: %s',
      async (_ask, members, routed) => {
        const model = 'service-auto';
        await expectRouted(path, { ...ping, model, ...members }, { kind: model }, routed);
      },
    );

    it('always uses the full model for service-agent', async () => {
      const model = 'service-agent';
      const route = { egress: FULL, reason: 'forced', taskType: 'chat' };
      await expectRouted(path, { ...ping, model }, { kind: model }, route);
    });

    it('routes any other name like service-auto', async () => {
      const address = { kind: 'model' };
      const route = { ...simpleRoute, reason: 'default_provider' };
      for (const model of ['mistral', 'GPT-5', 'who/ever:says_this', '通义']) {
        const answer = await fixture.client.send(path, { body: { ...ping, model } });
        expect([model, answer.status]).toEqual([model, 200]);
      }
      await expectRouted(path, { ...ping, model: 'mistral' }, address, route);
    });

    it.each([
      ['gpt-any', 'openai'],
      ['o9-mini', 'openai'],
      ['claude-any', 'anthropic'],
      [LOCAL_MODEL, 'local'],
    ])('sends %s to %s unchanged', async (model, provider) => {
      const route = { egress: { provider, model }, reason: 'passthrough', taskType: 'chat' };
      await expectRouted(path, { ...ping, model }, { kind: 'model' }, route);
    });

    it.each([
      ['service-sensitive', { kind: 'service-sensitive' }],
      ['service-auto+sensitive', { kind: 'service-auto', sensitive: true }],
      ['claude-any+sensitive', { kind: 'model', sensitive: true }],
      ['gpt-any+sensitive', { kind: 'model', sensitive: true }],
    ])('runs %s on the machine', async (model, address) => {
      const callsBefore = fixture.calls().length;
      const egress = { provider: 'local', model: LOCAL_MODEL };
      const route = { egress, reason: 'sensitive_local', taskType: 'chat' };
      await expectRouted(path, { ...ping, model }, address, route);
      expect(fixture.calls()).toHaveLength(callsBefore);
    });

    it.each(['service-sensitive', 'claude-any+sensitive', 'gpt-any+sensitive'])(
      'refuses %s with 503 without a local runtime',
      async (model) => {
        const chat = { status: 503, type: 'server_error', code: 'local_runtime_unavailable' };
        await expectRefused(fixtureWithoutRuntime, model, chat, { status: 503, type: 'api_error' });
      },
    );

    it.each(['agent:nobody', 'agent:nobody+sensitive', 'agent:nobody+knowledge'])(
      'refuses %s with 404, because the agent does not exist',
      async (model) => {
        const chat = { status: 404, code: 'model_not_found', param: 'model' };
        await expectRefused(fixture, model, chat, { status: 404, type: 'not_found_error' });
      },
    );

    it('refuses debate: with 501 and a reference to conversations', async () => {
      const chat = { status: 501, code: 'not_implemented', param: 'model' };
      const answer = await expectRefused(fixture, 'debate:future', chat, { status: 501 });
      expect(answer.text).toContain('POST /v1/conversations');
    });
  });

  it('keeps a conversation with signed reasoning at the provider that signed it', async () => {
    const body = { ...MESSAGE_PING, model: 'service-auto', messages: SIGNED_REASONING };
    const route = { egress: FULL, reason: 'pinned', taskType: 'chat' };
    await expectRouted(MESSAGES, body, { kind: 'service-auto' }, route);
    expect(fixture.provider.requests.at(-1)!.parsed).toMatchObject({ messages: SIGNED_REASONING });
  });
});
