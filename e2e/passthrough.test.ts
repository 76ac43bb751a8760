import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { respondWith, toChatCompletion } from '@witan/testing';
import { CHAT, PING } from './http-client.ts';
import { openFixture, PROVIDER_KEY, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

/** A body with formatting and numbers that would be lost if it were parsed and serialized again. */
const UNUSUAL_BODY = `{ "model": "gpt-test",\t"temperature": 0.70, "seed":12345678901234567890,
  "x_top": {"deep": [{"er": -0.0, "tiny": 1e-400, "huge": 1E+2}, [], {}], "2": 0, "1": 0},
  "messages": [ {"role":"user", "content":"caf\\u00e9 \\ud800 \\/ \\u0000", "x_message": null},
    {"content":[{"type":"text","text":"part","cache_control":{"type":"ephemeral"}}],"role":"user"}],
  "tools": [], "x_top_again": true }\n`;

describe.each(TRANSPORTS)('a relayed plain call, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport, env: { WITAN_MODEL_FULL: 'gpt-4.1' } });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /** Sends `body` and returns the request that the provider received. */
  const sendAndReadProviderRequest = async (
    body: object | string,
    headers?: Record<string, string>,
  ) => {
    const answer = await fixture.client.complete(body, headers ? { headers } : {});
    expect(answer.status).toBe(200);
    return fixture.provider.requests.at(-1)!;
  };

  it("has the client's bytes at the provider", async () => {
    const providerRequest = await sendAndReadProviderRequest(UNUSUAL_BODY);
    expect(providerRequest.body.toString()).toBe(UNUSUAL_BODY);
    expect(providerRequest.path).toBe(CHAT);
  });

  it.each(['max_tokens', 'max_completion_tokens'])('has only %s clamped', async (limit) => {
    const bodyAtLimit = `{"${limit}" : 16000,"messages":[{"role":"user"}],"model":"gpt-test"}`;
    expect((await sendAndReadProviderRequest(bodyAtLimit)).body.toString()).toBe(bodyAtLimit);
    const bodyOverLimit = bodyAtLimit.replace('16000', '16001');
    expect((await sendAndReadProviderRequest(bodyOverLimit)).body.toString()).toBe(bodyAtLimit);
  });

  it('has both output limits clamped at the configured maximum', async () => {
    const providerRequest = await sendAndReadProviderRequest({
      ...PING,
      max_tokens: 1e9,
      max_completion_tokens: 99_999,
    });
    expect(providerRequest.parsed).toEqual({
      ...PING,
      max_tokens: 16_000,
      max_completion_tokens: 16_000,
    });
  });

  it('has only its alias replaced by the model that runs', async () => {
    const clientBody = UNUSUAL_BODY.replace('"gpt-test"', '"service-agent"');
    const answer = await fixture.client.complete(clientBody);
    const model = answer.headers.get('x-service-model');
    const providerBody = UNUSUAL_BODY.replace('"gpt-test"', JSON.stringify(model));
    expect(fixture.provider.requests.at(-1)!.body.toString()).toBe(providerBody);
    const { json } = await fixture.client.send(
      `/v1/proofs/${answer.headers.get('x-service-proof')}`,
    );
    expect(json).toMatchObject({
      payload: {
        request: { model: 'service-agent' },
        address: { kind: 'service-agent' },
        egress: { provider: 'openai', model, pii: { masked: 0, categories: [] } },
        routing: { reason: 'forced' },
      },
    });
  });

  it('accepts an unknown model name and reports the model that ran', async () => {
    const answer = await fixture.client.complete({ ...PING, model: 'a-name/nobody:knows@beta' });
    const runs = answer.headers.get('x-service-model');
    expect(fixture.provider.requests.at(-1)!.parsed).toEqual({ ...PING, model: runs });
    expect(runs).not.toBe('a-name/nobody:knows@beta');
  });

  it("returns the provider's bytes to the client", async () => {
    const completionText = JSON.stringify(toChatCompletion());
    const unusualText = `\n{ "x_big": 12345678901234567890, "x": {"y":[1.0, "\\ud800"]},\t${completionText.slice(1)} \n`;
    fixture.provider.script(respondWith({ body: unusualText, byteByByte: true }));
    const answer = await fixture.client.complete(PING);
    expect(answer.text).toBe(unusualText);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('returns non-ASCII answers intact, however they are split into packets', async () => {
    const body = JSON.stringify(toChatCompletion({ content: 'naïve 🦊 日本' }));
    fixture.provider.script(respondWith({ body, byteByByte: true }));
    expect((await fixture.client.complete(PING)).text).toBe(body);
  });

  it("has only the gateway's own credentials and headers", async () => {
    const { apiKey } = fixture.system;
    const { headers } = await sendAndReadProviderRequest(PING, {
      'content-type': 'application/json; charset=utf-8',
      'x-api-key': apiKey,
      authorization: 'Bearer sk-stray-key-of-somebody',
      cookie: 'session=secret-cookie',
      forwarded: 'for=203.0.113.7',
      'x-forwarded-for': '203.0.113.7',
      'x-real-ip': '203.0.113.7',
      'proxy-authorization': 'Basic c2VjcmV0',
      'openai-organization': 'org-of-the-client',
      'user-agent': 'client/1.0',
      referer: 'https://client.example/',
    });
    expect(headers).toEqual({
      host: `127.0.0.1:${fixture.provider.port}`,
      connection: 'keep-alive',
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^Witan\//),
      authorization: `Bearer ${PROVIDER_KEY}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(JSON.stringify(PING))),
    });
  });

  it("returns the provider's advice to the client, and no other header of it", async () => {
    const relayedHeaders = {
      'retry-after': '3',
      'retry-after-ms': '2900',
      'x-should-retry': 'false',
      'x-ratelimit-remaining-tokens': '41',
    };
    const other = {
      'set-cookie': 'provider=1',
      server: 'provider/1',
      'x-service-proof': 'pf_forged',
      'x-request-id': 'upstream-0001',
    };
    fixture.provider.script(
      respondWith({ body: toChatCompletion(), headers: { ...relayedHeaders, ...other } }),
    );
    const { headers } = await fixture.client.complete(PING);
    expect(Object.fromEntries(headers)).toMatchObject({
      ...relayedHeaders,
      'x-upstream-request-id': 'upstream-0001',
      'x-service-proof': expect.stringMatching(/^pf_[0-9A-Za-z]{16,}$/),
      'x-service-model': 'gpt-test',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    expect(headers.has('set-cookie')).toBe(false);
    expect(headers.has('server')).toBe(false);
  });

  it("uses the client's request id if it is valid", async () => {
    const { apiKey } = fixture.system;
    const idOf = async (given: string): Promise<string | null> => {
      const headers = {
        'x-api-key': apiKey,
        'x-request-id': given,
        'content-type': 'application/json',
      };
      const answer = await fixture.client.complete(PING, { headers });
      return answer.headers.get('x-request-id');
    };
    expect(await idOf('client-id_0001')).toBe('client-id_0001');
    expect(await idOf('short')).toMatch(/^req_/);
    expect(await idOf('not one word; 01234')).toMatch(/^req_/);
  });
});
