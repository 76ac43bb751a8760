import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectChatRefusal, expectMessageRefusal } from './expect-refusal.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, PROVIDER_KEY, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

/** Requests in one dialect for a model whose provider uses the other dialect. */
const FROM_CHAT = { ...PING, model: 'claude-test' };
const FROM_MESSAGES = { ...MESSAGE_PING, model: 'gpt-test' };

const toStreamed = (body: object, more: object = {}): object => ({
  ...body,
  ...more,
  stream: true,
});

const AUDIO_PART = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };

describe.each(TRANSPORTS)('requests across dialects, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('have the headers of their provider and none of the client', async () => {
    const clientHeaders = {
      'x-api-key': fixture.system.apiKey,
      'content-type': 'application/json',
    };
    const chatHeaders = {
      ...clientHeaders,
      'openai-beta': 'x',
      'anthropic-beta': 'x',
      'x-any': 'x',
    };
    await fixture.client.send(`${CHAT}?beta=true`, { body: FROM_CHAT, headers: chatHeaders });
    const commonHeaders = {
      connection: 'keep-alive',
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^Witan\//),
      'content-type': 'application/json',
      host: expect.any(String),
      'content-length': expect.any(String),
    };
    const anthropicRequest = fixture.provider.requests.at(-1)!;
    expect(anthropicRequest.path).toBe(MESSAGES);
    expect(anthropicRequest.headers).toEqual({
      ...commonHeaders,
      // The version for which the gateway translates bodies; it also determines the credential
      // header.
      'anthropic-version': '2023-06-01',
      'x-api-key': PROVIDER_KEY,
    });
    const messageHeaders = {
      ...clientHeaders,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'x',
    };
    await fixture.client.send(`${MESSAGES}?beta=true`, {
      body: FROM_MESSAGES,
      headers: messageHeaders,
    });
    const openaiRequest = fixture.provider.requests.at(-1)!;
    expect(openaiRequest.path).toBe(CHAT);
    expect(openaiRequest.headers).toEqual({
      ...commonHeaders,
      authorization: `Bearer ${PROVIDER_KEY}`,
    });
  });

  it.each<[string, string, object, string]>([
    [
      'chat completions',
      CHAT,
      { ...FROM_CHAT, seed: 7, presence_penalty: 0.5, logit_bias: { 50256: -100 }, store: true },
      'logit_bias, presence_penalty, seed, store',
    ],
    [
      'messages',
      MESSAGES,
      { ...FROM_MESSAGES, top_k: 5, thinking: { type: 'enabled', budget_tokens: 1024 } },
      'thinking, top_k',
    ],
  ])('name tuning parameters that were dropped: %s', async (_name, path, body, droppedNames) => {
    for (const requestBody of [body, toStreamed(body)]) {
      const { status, headers } = await fixture.client.send(path, { body: requestBody });
      expect([status, headers.get('x-service-dropped-params')]).toEqual([200, droppedNames]);
    }
    const sameDialectBody = { ...body, model: path === CHAT ? 'gpt-test' : 'claude-test' };
    const { headers } = await fixture.client.send(path, { body: sameDialectBody });
    expect(headers.has('x-service-dropped-params')).toBe(false);
  });

  /**
   * Sends the request and expects neither a provider call nor a new certificate. Returns the
   * response.
   */
  const expectRefused = async (path: string, body: object): Promise<Answer> => {
    const callsBefore = fixture.calls().length;
    const before = await fixture.client.listCertificates();
    const answer = await fixture.client.send(path, { body });
    expect(fixture.calls()).toHaveLength(callsBefore);
    expect(await fixture.client.listCertificates()).toEqual(before);
    return answer;
  };

  it.each<[string, object, string]>([
    ['several answers', { n: 2 }, 'n'],
    ['log probabilities', { logprobs: true }, 'logprobs'],
    ['audio output', { audio: { voice: 'x' }, modalities: ['audio'] }, 'audio'],
    ['a tool that is not a function', { tools: [{ type: 'custom' }] }, 'tools[0].type'],
    [
      'audio in a message',
      { messages: [{ role: 'user', content: [AUDIO_PART] }] },
      'messages[].content[].input_audio',
    ],
  ])('are refused if messages cannot express them: %s', async (_name, more, param) => {
    for (const body of [{ ...FROM_CHAT, ...more }, toStreamed(FROM_CHAT, more)]) {
      const refusal = { status: 400, code: 'unsupported_parameter', param };
      expectChatRefusal(await expectRefused(CHAT, body), refusal);
    }
  });

  it.each<[string, object, string]>([
    ['a container', { container: 'container_1' }, 'container'],
    ['MCP servers', { mcp_servers: [{ type: 'url', url: 'https://x.example' }] }, 'mcp_servers'],
    ['a tool that the provider runs', { tools: [{ type: 'web_search_1' }] }, 'tools[0].type'],
    [
      'a block of an unknown kind',
      { messages: [{ role: 'user', content: [{ type: 'x_block' }] }] },
      'messages[0].content[0].type',
    ],
  ])('are refused if chat completions cannot express them: %s', async (_name, more, param) => {
    for (const body of [{ ...FROM_MESSAGES, ...more }, toStreamed(FROM_MESSAGES, more)]) {
      const answer = await expectRefused(MESSAGES, body);
      expectMessageRefusal(answer, { status: 400 });
      expect(answer.text).toContain(param);
    }
  });
});
