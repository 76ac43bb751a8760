import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith, openReceiver } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { createKey, openStorage } from '@witan/api-gateway';
import { createLog } from '@witan/service-kit';
import { expectChatRefusal, expectMessageRefusal } from './expect-refusal.ts';
import { CHAT, createHttpClient, MESSAGES } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const COUNT = '/v1/messages/count_tokens';
const PERSONA = 'You are the keeper of the tide tables.';
const TAG = '<MEMORY key="plan" type="fact">sell</MEMORY>';
const messages = [{ role: 'user' as const, content: 'What do you know?' }];
const bodyOf = (model: string) => ({ model, max_tokens: 100, messages });

/** `model` of the call, the API key's scopes besides `gateway`, and the missing scope. */
const REFUSED: [string, string[], string][] = [
  ['agent:keeper', [], 'agents'],
  ['agent:keeper', ['knowledge', 'tools'], 'agents'],
  ['agent:nobody', [], 'agents'],
  ['agent:keeper+sensitive', [], 'agents'],
  ['agent:keeper+knowledge', ['agents'], 'knowledge'],
  ['gpt-4o+knowledge', [], 'knowledge'],
  ['gpt-4o+knowledge', ['agents'], 'knowledge'],
  ['service-auto+knowledge', [], 'knowledge'],
];

describe.each(TRANSPORTS)('scopes of addresses, services over %s', (transport) => {
  let fixture: Fixture;
  let receiver: Receiver;
  let agentId = '';

  beforeAll(async () => {
    receiver = await openReceiver();
    fixture = await openFixture({ transport, env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } });
    const agent = { name: 'Keeper', systemPrompt: PERSONA };
    agentId = await make('/v1/agents', agent, 'agent');
    const tool = { name: 'tides', description: 'Looks up tides', parameters: { type: 'object' } };
    const url = receiver.urlOf('/tides');
    await make('/v1/tools', { ...tool, url, agentIds: [agentId] }, 'tool');
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const make = async (path: string, body: object, name: string): Promise<string> => {
    const { status, json } = await fixture.client.send(path, { body });
    expect(status).toBe(201);
    return (json as Record<string, { id: string }>)[name]!.id;
  };
  const join = async (scopes: string[]): Promise<HttpClient> => {
    const { baseUrl, workspaceId, userId, databaseUrls } = fixture.system;
    const log = createLog({ service: 'e2e', level: 'silent' });
    const storage = await openStorage(databaseUrls['api-gateway']!, log);
    const input = { workspaceId, userId, name: 'e2e', scopes, actor: 'e2e' };
    const { key } = await createKey(storage, input);
    await storage[Symbol.asyncDispose]();
    return createHttpClient({ baseUrl, apiKey: key });
  };

  it.each(REFUSED)(
    'refuse %s for a key with gateway and %j: %s is missing',
    async (model, more, param) => {
      const client = await join(['gateway', ...more]);
      const sent = fixture.calls().length;
      const chat = await client.send(CHAT, { body: bodyOf(model) });
      expectChatRefusal(chat, { status: 403, code: 'insufficient_scope', param });
      for (const path of [MESSAGES, COUNT]) {
        const answer = await client.send(path, { body: bodyOf(model) });
        expectMessageRefusal(answer, { status: 403, type: 'permission_error' });
        expect(answer.text).toContain(`the scope ${param}`);
      }
      expect(fixture.calls()).toHaveLength(sent);
    },
  );

  it.each<[string, string[]]>([
    ['gpt-4o', []],
    ['service-auto', []],
    ['agent:keeper', ['agents:read']],
    ['agent:keeper', ['agents']],
    ['gpt-4o+knowledge', ['knowledge:read']],
    ['agent:keeper+knowledge', ['agents:read', 'knowledge']],
  ])('accept %s for a key with gateway and %j', async (model, more) => {
    const client = await join(['gateway', ...more]);
    expect((await client.complete(bodyOf(model))).status).toBe(200);
    expect((await client.send(COUNT, { body: bodyOf(model) })).status).toBe(200);
  });

  it('treat an alias that is named like an agent as an alias', async () => {
    const targets = [{ provider: 'openai', model: 'agent:keeper' }];
    const named = { aliases: { shortcut: { targets } } };
    const put = await fixture.client.send('/v1/workspace', { method: 'PUT', body: named });
    expect(put.status).toBe(200);
    const client = await join(['gateway']);
    await client.complete(bodyOf('shortcut'));
    const { parsed } = fixture.calls().at(-1)!;
    expect(parsed).toMatchObject({ model: 'agent:keeper', messages });
    expect(JSON.stringify(parsed)).not.toContain(PERSONA);
    const address = { aliases: { 'agent:keeper': { targets } } };
    const refused = await fixture.client.send('/v1/workspace', { method: 'PUT', body: address });
    expect(refused.status).toBe(400);
  });

  it('let agents:read chat with an agent without tools or memories', async () => {
    const client = await join(['gateway', 'agents:read']);
    fixture.provider.script(answerWith({ content: `Low tide at six. ${TAG}` }));
    const answer = await client.complete(bodyOf('agent:keeper'));
    expect(answer.json).toMatchObject({
      choices: [{ message: { content: expect.stringMatching(/^Low tide at six\.\s*$/) } }],
    });
    const { parsed } = fixture.calls().at(-1)!;
    expect(JSON.stringify(parsed)).toContain(PERSONA);
    expect(parsed).not.toHaveProperty('tools');
    expect(await memoriesOf()).toEqual([]);
  });

  it('let agents use tools and memories', async () => {
    const client = await join(['gateway', 'agents']);
    fixture.provider.script(answerWith({ content: `Low tide at six. ${TAG}` }));
    await client.complete(bodyOf('agent:keeper'));
    expect(fixture.calls().at(-1)!.parsed).toHaveProperty('tools');
    expect(await memoriesOf()).toEqual([expect.objectContaining({ key: 'plan' })]);
  });

  const memoriesOf = async (): Promise<object[]> => {
    const { json } = await fixture.client.send(`/v1/agents/${agentId}/memory`);
    return (json as { memories: object[] }).memories;
  };

  it('list the agent parameters that were ignored', async () => {
    const tools = [{ type: 'function', function: { name: 'own', parameters: {} } }];
    const chat = await fixture.client.complete({
      ...bodyOf('agent:keeper'),
      tools,
      response_format: { type: 'json_object' },
      top_p: 0.5,
      temperature: 0.5,
      user: null,
    });
    const dropped = 'response_format, temperature, tools, top_p';
    expect(chat.headers.get('x-service-dropped-params')).toBe(dropped);
    const message = await fixture.client.message({
      ...bodyOf('agent:keeper'),
      system: 'Be brief.',
      tools: [{ name: 'own', input_schema: { type: 'object' } }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      stream: true,
    });
    expect(message.headers.get('x-service-dropped-params')).toBe('thinking, tools');
    const bare = await fixture.client.complete(bodyOf('agent:keeper'));
    expect(bare.headers.has('x-service-dropped-params')).toBe(false);
  });
});
