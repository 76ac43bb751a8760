import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { respondWith, toMessage } from '@witan/testing';
import type { RecordedRequest } from '@witan/testing';
import { MESSAGE_PING, MESSAGES } from './http-client.ts';
import { openFixture, PROVIDER_KEY, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

/** A body with formatting and numbers that would be lost if it were parsed and serialized again. */
const UNUSUAL_BODY = `{ "model": "claude-test",\t"max_tokens": 2048, "temperature": 0.70,
  "x_top": {"deep": [{"er": -0.0, "tiny": 1e-400, "huge": 1E+2}, [], {}], "2": 0, "1": 0},
  "system": [{"type":"text", "text":"caf\\u00e9 \\ud800", "cache_control":{"type":"ephemeral"}}],
  "thinking": {"type":"enabled","budget_tokens": 1024, "x_thinking": 12345678901234567890},
  "messages": [ {"role":"user", "content":"ask \\/ \\u0000", "x_message": null},
    {"content":[{"type":"thinking","thinking":"  hm\\u000a","signature":"RXFv+/=="},
      {"type":"redacted_thinking","data":"b3BhcXVl"}, {"type":"x_block","x":[1.0]},
      {"type":"tool_use","id":"toolu_1","name":"add","input":{"b":2.50,"a":1e2}}],"role":"assistant"},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"3"}]}],
  "tools": [{"name":"add","input_schema":{"type":"object"},"x_tool":true}], "x_again": true }\n`;

describe.each(TRANSPORTS)('a relayed message, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /** Sends `body` and returns the request that the provider received. */
  const sendAndReadProviderRequest = async (
    body: object | string,
    { headers, query = '' }: { headers?: Record<string, string>; query?: string } = {},
  ): Promise<RecordedRequest> => {
    const init = headers ? { body, headers } : { body };
    expect((await fixture.client.send(`${MESSAGES}${query}`, init)).status).toBe(200);
    return fixture.provider.requests.at(-1)!;
  };
  const withKey = (extraHeaders: Record<string, string>): Record<string, string> => ({
    'x-api-key': fixture.system.apiKey,
    'content-type': 'application/json',
    ...extraHeaders,
  });

  it.each([
    ['plain', UNUSUAL_BODY],
    ['streamed', UNUSUAL_BODY.replace('{ "model"', '{ "stream" : true, "model"')],
  ])("has the client's bytes at the provider (%s)", async (_call, body) => {
    const providerRequest = await sendAndReadProviderRequest(body);
    expect(providerRequest.body.toString()).toBe(body);
    expect(providerRequest.path).toBe(MESSAGES);
  });

  it.each<[string, string, string]>([
    ['the limit', '"max_tokens" : 16001 ', '"max_tokens" : 16000 '],
    ['nothing within the limit', '"max_tokens":16000.0', '"max_tokens":16000.0'],
    [
      'the thinking budget with the limit, so that tokens are left for the answer',
      '"max_tokens":64000,"thinking":{"type":"enabled", "budget_tokens":32000,"x":1.0}',
      '"max_tokens":16000,"thinking":{"type":"enabled", "budget_tokens":12000,"x":1.0}',
    ],
    [
      'the limit if the budget is already below the maximum',
      '"max_tokens":64000,"thinking":{"budget_tokens":4096,"type":"enabled"}',
      '"max_tokens":16000,"thinking":{"budget_tokens":4096,"type":"enabled"}',
    ],
  ])('has only %s clamped', async (_what, asked, sent) => {
    const around = (limits: string): string =>
      `{${limits},"messages":[{"role":"user","content":"x"}],"model":"claude-test"}`;
    expect((await sendAndReadProviderRequest(around(asked))).body.toString()).toBe(around(sent));
  });

  it('has only the model of its address replaced', async () => {
    await using claude = await openFixture({
      transport,
      env: { WITAN_MODEL_FULL: 'claude-opus-4-1' },
    });
    const answer = await claude.client.message(
      UNUSUAL_BODY.replace('"claude-test"', '"service-agent"'),
    );
    expect(answer.headers.get('x-service-model')).toBe('claude-opus-4-1');
    const providerBody = UNUSUAL_BODY.replace('"claude-test"', '"claude-opus-4-1"');
    expect(claude.provider.requests.at(-1)!.body.toString()).toBe(providerBody);
  });

  it("has the client's version, betas and query, and nothing about accounts", async () => {
    const headers = withKey({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-2025-01-01,two-2025-02-02',
      'anthropic-unheard-of': 'yes',
      'anthropic-workspace-id': 'of-the-client',
      'anthropic-dangerous-direct-browser-access': 'true',
      'openai-beta': 'of-another-dialect',
    });
    const query = '?beta=true&x=%20y&api_key=sk-of-somebody&access_token=t';
    const providerRequest = await sendAndReadProviderRequest(MESSAGE_PING, { headers, query });
    expect(providerRequest.path).toBe(`${MESSAGES}?beta=true&x=%20y`);
    expect(providerRequest.headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-2025-01-01,two-2025-02-02',
      'anthropic-unheard-of': 'yes',
    });
    const headerNames = Object.keys(providerRequest.headers);
    for (const name of ['anthropic-workspace-id', 'anthropic-dangerous-direct-browser-access']) {
      expect(headerNames).not.toContain(name);
    }
    expect(headerNames).not.toContain('openai-beta');
  });

  it("has only the gateway's own credentials and headers", async () => {
    const { headers } = await sendAndReadProviderRequest(MESSAGE_PING, {
      headers: withKey({
        authorization: 'Bearer sk-stray-key-of-somebody',
        cookie: 'session=secret-cookie',
        forwarded: 'for=203.0.113.7',
        'x-forwarded-for': '203.0.113.7',
        'x-real-ip': '203.0.113.7',
        'proxy-authorization': 'Basic c2VjcmV0',
        'x-stainless-lang': 'js',
        'user-agent': 'client/1.0',
        referer: 'https://client.example/',
      }),
    });
    expect(headers).toEqual({
      host: `127.0.0.1:${fixture.provider.port}`,
      connection: 'keep-alive',
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^Witan\//),
      // The client sends no version, so the gateway adds the default one.
      'anthropic-version': '2023-06-01',
      'x-api-key': PROVIDER_KEY,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(JSON.stringify(MESSAGE_PING))),
    });
  });

  it.each([
    ['2023-06-01', { 'x-api-key': PROVIDER_KEY }],
    ['2026-10-21', { authorization: `Bearer ${PROVIDER_KEY}` }],
  ])('has the credential header of version %s, once', async (version, credentials) => {
    const { headers } = await sendAndReadProviderRequest(MESSAGE_PING, {
      headers: withKey({ 'anthropic-version': version }),
    });
    const { authorization, 'x-api-key': key } = headers;
    const sentCredentials = {
      ...(authorization && { authorization }),
      ...(key && { 'x-api-key': key }),
    };
    expect(sentCredentials).toEqual(credentials);
  });

  it("returns the provider's bytes to the client", async () => {
    const blocks = [
      { type: 'thinking' as const, thinking: 'Hm. 🦊', signature: 'c2ln+/==' },
      { type: 'redacted_thinking' as const, data: 'ZGF0YQ==' },
      { type: 'tool_use' as const, name: 'add', input: '{"a":1.50}' },
    ];
    const messageText = JSON.stringify(toMessage({ blocks }));
    const unusualText = `\n{ "x_big": 12345678901234567890, "x": {"y":[1.0, "\\ud800"]},\t${messageText.slice(1)} \n`;
    fixture.provider.script(respondWith({ body: unusualText, byteByByte: true }));
    const answer = await fixture.client.message(MESSAGE_PING);
    expect(answer.text).toBe(unusualText);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it("returns the provider's advice to the client, and no other header of it", async () => {
    const relayedHeaders = {
      'retry-after': '3',
      'anthropic-ratelimit-requests-remaining': '41',
      'anthropic-ratelimit-tokens-reset': '2026-11-20T00:00:00Z',
    };
    const droppedHeaders = {
      'set-cookie': 'provider=1',
      'anthropic-organization-id': 'of-the-operator',
      'x-service-proof': 'pf_forged',
      'request-id': 'req_upstream',
    };
    const headers = { ...relayedHeaders, ...droppedHeaders };
    fixture.provider.script(respondWith({ body: toMessage(), headers }));
    const answer = await fixture.client.message(MESSAGE_PING);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...relayedHeaders,
      'x-upstream-request-id': 'req_upstream',
      'x-service-proof': expect.stringMatching(/^pf_[0-9A-Za-z]{16,}$/),
      'x-service-model': 'claude-test',
      'request-id': answer.headers.get('x-request-id'),
    });
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(answer.headers.has('anthropic-organization-id')).toBe(false);
  });
});
