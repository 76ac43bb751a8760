import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { expectChatRefusal } from './expect-refusal.ts';
import { CHAT, MESSAGES, PING, RESPONSES } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const LOCAL_MODEL = 'llama-local';
/**
 * A second model of the local runtime; its name contains characters that are invalid in HTTP
 * headers.
 */
const OTHER_MODEL = '通义-local';

/** Local-only model addresses, and how certificates record them. */
const ADDRESSES: [string, object][] = [
  ['service-sensitive', { kind: 'service-sensitive' }],
  ['gpt-test+sensitive', { kind: 'model', sensitive: true }],
  ['service-agent+sensitive', { kind: 'service-agent', sensitive: true }],
];

/** Unusual spellings of local-only model addresses that the gateway accepts. */
const ACCEPTED_SPELLINGS = ['service_sensitive', 'service\u2010sensitive', 'gpt-test%2Bsensitive'];
const MISSPELT_ADDRESSES = [
  'gpt-test+sensitve',
  'service-sensitve',
  'sevice-sensitive',
  'gpt-test+safe',
];
/** A prompt with personal data so sensitive that `service-auto` must stay local. */
const SENSITIVE_PROMPT = {
  messages: [{ role: 'user', content: 'My card is 4111 1111 1111 1111, my SSN 536-22-1234.' }],
};

const toReferences = (id: string): object[] => [
  { type: 'item_reference', id },
  { role: 'user', content: 'Why?' },
];

describe.each(TRANSPORTS)('a local-only call, services over %s', (transport) => {
  let localRuntime: ScriptedProvider;
  let fixture: Fixture;
  let production: Fixture;
  /**
   * A system in development mode without a local runtime. The offline provider does not count as
   * one, because hosted providers are configured.
   */
  let development: Fixture;

  beforeAll(async () => {
    localRuntime = await openScriptedProvider({ models: [LOCAL_MODEL, OTHER_MODEL] });
    fixture = await openFixture({
      transport,
      env: { LOCAL_BASE_URL: localRuntime.baseUrl, LOCAL_MODEL },
    });
    production = await openFixture({ transport, env: { WITAN_ENV: 'production' } });
    development = await openFixture({ transport });
  });
  afterAll(async () => {
    await development[Symbol.asyncDispose]();
    await production[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await localRuntime[Symbol.asyncDispose]();
  });

  it.each([
    ['a stored response', (id: string) => ({ previous_response_id: id, input: 'Why?' })],
    ['an item of one', (_: string, itemId: string) => ({ input: toReferences(itemId) })],
  ])('stays local when another model continues %s', async (_name, continueWith) => {
    const ask = async (body: object) => {
      const { status, json, headers } = await fixture.client.send(RESPONSES, { body });
      expect(status).toBe(200);
      return { ...(json as { id: string; output: { id: string }[] }), headers };
    };
    const first = await ask({ model: 'service-sensitive', input: 'A secret?' });
    const second = await ask({
      model: 'gpt-test',
      ...continueWith(first.id, first.output[0]!.id),
    });
    const third = await ask({ model: 'gpt-test', previous_response_id: second.id, input: 'So?' });
    for (const { headers } of [second, third]) {
      expect(headers.get('x-service-provider')).toBe('local');
      const { json } = await fixture.client.send(`/v1/proofs/${headers.get('x-service-proof')}`);
      expect(json).toMatchObject({ payload: { address: { kind: 'model', sensitive: true } } });
    }
  });

  it.each(ADDRESSES)(
    'runs on the local runtime, as its certificate shows: %s',
    async (model, address) => {
      for (const stream of [false, true]) {
        const answer = await fixture.client.complete({ ...PING, model, stream });
        expect([answer.status, answer.headers.get('x-service-model')]).toEqual([200, LOCAL_MODEL]);
        const { json } = await fixture.client.send(
          `/v1/proofs/${answer.headers.get('x-service-proof')}`,
        );
        expect(json).toMatchObject({
          payload: {
            request: { model },
            address,
            egress: { provider: 'local', model: LOCAL_MODEL, pii: { masked: 0, categories: [] } },
            routing: { reason: 'sensitive_local' },
          },
        });
      }
      expect(localRuntime.requests.at(-1)?.parsed).toMatchObject({ model: LOCAL_MODEL });
      expect(localRuntime.requests.at(-1)?.headers).not.toHaveProperty('authorization');
      expect(fixture.calls()).toEqual([]);
    },
  );

  it.each(ADDRESSES)('is refused with 503 without a local runtime: %s', async (model) => {
    for (const { client, calls } of [production, development]) {
      const answer = await client.complete({ ...PING, model });
      expectChatRefusal(answer, {
        status: 503,
        type: 'server_error',
        code: 'local_runtime_unavailable',
      });
      // Nothing changes without a restart, so a retry is not suggested.
      expect(answer.headers.get('retry-after')).toBeNull();
      expect(calls()).toEqual([]);
      expect(await client.listCertificates()).toEqual([]);
    }
  });

  it.each(ACCEPTED_SPELLINGS)('stays local in any spelling of its address: %j', async (model) => {
    const answer = await fixture.client.complete({ ...PING, model });
    expect([answer.status, answer.headers.get('x-service-model')]).toEqual([200, LOCAL_MODEL]);
    expect(fixture.calls()).toEqual([]);
  });

  it.each(MISSPELT_ADDRESSES)('is not sent if its address is misspelt: %s', async (model) => {
    const localCallsBefore = localRuntime.requests.length;
    const body = { ...PING, model };
    for (const path of [CHAT, MESSAGES, `${MESSAGES}/count_tokens`]) {
      const answer = await fixture.client.send(path, { body: { ...body, max_tokens: 9 } });
      expect([path, answer.status, answer.text]).toEqual([
        path,
        400,
        expect.stringMatching(/did you mean|the flags are/),
      ]);
    }
    const agent = await fixture.client.send('/v1/agents', {
      body: { name: `Agent ${model}`, systemPrompt: 'Advise.', model },
    });
    expect([agent.status, agent.json]).toMatchObject([
      400,
      { error: { code: 'invalid_request', param: 'model' } },
    ]);
    expect([fixture.calls(), localRuntime.requests.length]).toEqual([[], localCallsBefore]);
  });

  it('is sent masked with the reason if it was only classified as sensitive', async () => {
    const answer = await development.client.complete({
      ...SENSITIVE_PROMPT,
      model: 'service-auto',
    });
    expect(answer.status).toBe(200);
    const { payload } = await development.client.certificateOf(answer);
    expect(payload).toMatchObject({
      egress: { provider: 'openai', pii: { masked: 2 } },
      routing: { reason: 'sensitive_masked_no_local' },
    });
    expect(JSON.stringify(development.calls().at(-1)!.parsed)).not.toMatch(/4111|536-22/);
  });

  it('runs the requested model if the local runtime offers it', async () => {
    const answer = await fixture.client.complete({ ...PING, model: `${OTHER_MODEL}+sensitive` });
    expect(answer.status).toBe(200);
    expect(decodeURIComponent(answer.headers.get('x-service-model')!)).toBe(OTHER_MODEL);
  });

  it.each([LOCAL_MODEL, OTHER_MODEL])('uses the local model name %s', async (model) => {
    const answer = await fixture.client.complete({ ...PING, model });
    expect(answer.status).toBe(200);
    const { json } = await fixture.client.send(
      `/v1/proofs/${answer.headers.get('x-service-proof')}`,
    );
    expect(json).toMatchObject({
      payload: { address: { kind: 'model' }, egress: { provider: 'local', model } },
    });
    expect(fixture.calls()).toEqual([]);
  });
});
