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

const COUNT_TOKENS_PATH = '/v1/messages/count_tokens';
const PERSONA = 'You are the keeper of the tide tables.';
const MEMORY_TAG = '<MEMORY key="plan" type="fact">sell</MEMORY>';
const messages = [{ role: 'user' as const, content: 'What do you know?' }];
const toBody = (model: string) => ({ model, max_tokens: 100, messages });

/**
 * Refused calls: the requested `model`, the API key's scopes besides `gateway`, and the missing
 * scope.
 */
const REFUSED_CALLS: [string, string[], string][] = [
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
    agentId = await createObject('/v1/agents', agent, 'agent');
    const tool = { name: 'tides', description: 'Looks up tides', parameters: { type: 'object' } };
    const url = receiver.urlOf('/tides');
    await createObject('/v1/tools', { ...tool, url, agentIds: [agentId] }, 'tool');
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const createObject = async (path: string, body: object, member: string): Promise<string> => {
    const { status, json } = await fixture.client.send(path, { body });
    expect(status).toBe(201);
    return (json as Record<string, { id: string }>)[member]!.id;
  };
  const createClient = async (scopes: string[]): Promise<HttpClient> => {
    const { baseUrl, workspaceId, userId, databaseUrls } = fixture.system;
    const log = createLog({ service: 'e2e', level: 'silent' });
    const storage = await openStorage(databaseUrls['api-gateway']!, log);
    const input = { workspaceId, userId, name: 'e2e', scopes, actor: 'e2e' };
    const { key } = await createKey(storage, input);
    await storage[Symbol.asyncDispose]();
    return createHttpClient({ baseUrl, apiKey: key });
  };

  it.each(REFUSED_CALLS)(
    'refuse %s for a key with gateway and %j: %s is missing',
    async (model, extraScopes, param) => {
      const client = await createClient(['gateway', ...extraScopes]);
      const callsBefore = fixture.calls().length;
      const chat = await client.send(CHAT, { body: toBody(model) });
      expectChatRefusal(chat, { status: 403, code: 'insufficient_scope', param });
      for (const path of [MESSAGES, COUNT_TOKENS_PATH]) {
        const answer = await client.send(path, { body: toBody(model) });
        expectMessageRefusal(answer, { status: 403, type: 'permission_error' });
        expect(answer.text).toContain(`the scope ${param}`);
      }
      expect(fixture.calls()).toHaveLength(callsBefore);
    },
  );

  it.each<[string, string[]]>([
    ['gpt-4o', []],
    ['service-auto', []],
    ['agent:keeper', ['agents:read']],
    ['agent:keeper', ['agents']],
    ['gpt-4o+knowledge', ['knowledge:read']],
    ['agent:keeper+knowledge', ['agents:read', 'knowledge']],
  ])('accept %s for a key with gateway and %j', async (model, extraScopes) => {
    const client = await createClient(['gateway', ...extraScopes]);
    expect((await client.complete(toBody(model))).status).toBe(200);
    expect((await client.send(COUNT_TOKENS_PATH, { body: toBody(model) })).status).toBe(200);
  });

  it('treat an alias that is named like an agent as an alias', async () => {
    const targets = [{ provider: 'openai', model: 'agent:keeper' }];
    const validAliases = { aliases: { shortcut: { targets } } };
    const response = await fixture.client.send('/v1/workspace', {
      method: 'PUT',
      body: validAliases,
    });
    expect(response.status).toBe(200);
    const client = await createClient(['gateway']);
    await client.complete(toBody('shortcut'));
    const { parsed } = fixture.calls().at(-1)!;
    expect(parsed).toMatchObject({ model: 'agent:keeper', messages });
    expect(JSON.stringify(parsed)).not.toContain(PERSONA);
    const invalidAliases = { aliases: { 'agent:keeper': { targets } } };
    const refusal = await fixture.client.send('/v1/workspace', {
      method: 'PUT',
      body: invalidAliases,
    });
    expect(refusal.status).toBe(400);
  });

  it('let agents:read chat with an agent without tools or memories', async () => {
    const client = await createClient(['gateway', 'agents:read']);
    fixture.provider.script(answerWith({ content: `Low tide at six. ${MEMORY_TAG}` }));
    const answer = await client.complete(toBody('agent:keeper'));
    expect(answer.json).toMatchObject({
      choices: [{ message: { content: expect.stringMatching(/^Low tide at six\.\s*$/) } }],
    });
    const { parsed } = fixture.calls().at(-1)!;
    expect(JSON.stringify(parsed)).toContain(PERSONA);
    expect(parsed).not.toHaveProperty('tools');
    expect(await memoriesOf()).toEqual([]);
  });

  it('let agents use tools and memories', async () => {
    const client = await createClient(['gateway', 'agents']);
    fixture.provider.script(answerWith({ content: `Low tide at six. ${MEMORY_TAG}` }));
    await client.complete(toBody('agent:keeper'));
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
      ...toBody('agent:keeper'),
      tools,
      response_format: { type: 'json_object' },
      top_p: 0.5,
      temperature: 0.5,
      user: null,
    });
    const droppedParameters = 'response_format, temperature, tools, top_p';
    expect(chat.headers.get('x-service-dropped-params')).toBe(droppedParameters);
    const message = await fixture.client.message({
      ...toBody('agent:keeper'),
      system: 'Be brief.',
      tools: [{ name: 'own', input_schema: { type: 'object' } }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      stream: true,
    });
    expect(message.headers.get('x-service-dropped-params')).toBe('thinking, tools');
    const plainAnswer = await fixture.client.complete(toBody('agent:keeper'));
    expect(plainAnswer.headers.has('x-service-dropped-params')).toBe(false);
  });
});
