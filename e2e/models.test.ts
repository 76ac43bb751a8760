import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { neverAnswer, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { CHAT_ERROR, CHAT_MODEL, CHAT_MODELS } from './conformance/chat-schemas.ts';
import { checkSchema } from './conformance/check-schema.ts';
import {
  MESSAGE_ERROR,
  MESSAGE_MODEL,
  MESSAGE_MODELS,
  TOKEN_COUNT,
} from './conformance/message-schemas.ts';
import type { Schema } from './conformance/schema.ts';
import { MESSAGE_PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const MODELS = '/v1/models';
const COUNT = '/v1/messages/count_tokens';
const LOCAL_MODEL = 'org/llama:8b';
const EXPECTED = ['service-auto', 'service-agent', 'service-sensitive', 'fast', LOCAL_MODEL];

type Shape = { headers: Record<string, string>; list: Schema; one: Schema; error: Schema };
const SHAPES: [string, Shape][] = [
  ['chat completions', { headers: {}, list: CHAT_MODELS, one: CHAT_MODEL, error: CHAT_ERROR }],
  [
    'messages',
    {
      headers: { 'anthropic-version': '2023-06-01' },
      list: MESSAGE_MODELS,
      one: MESSAGE_MODEL,
      error: MESSAGE_ERROR,
    },
  ],
];

describe.each(TRANSPORTS)('models, services over %s', (transport) => {
  let local: ScriptedProvider;
  let fixture: Fixture;

  beforeAll(async () => {
    local = await openScriptedProvider({ models: [LOCAL_MODEL] });
    fixture = await openFixture({ transport, env: { LOCAL_BASE_URL: local.baseUrl, LOCAL_MODEL } });
    const aliases = { fast: { targets: [{ provider: 'openai', model: 'gpt-fast' }] } };
    await fixture.client.send('/v1/workspace', { method: 'PUT', body: { aliases } });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
  });

  const get = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> =>
    fixture.client.send(path, {
      method,
      headers: { 'x-api-key': fixture.system.apiKey, ...headers },
    });

  describe.each(SHAPES)('for a client of %s', (_name, { headers, list, one, error }) => {
    it("are listed: addresses, aliases, and the providers' models, each once", async () => {
      const answer = await get(`${MODELS}?limit=20&beta=true`, headers);
      expect([answer.status, checkSchema(list, answer.json)]).toEqual([200, []]);
      const ids = (answer.json as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(EXPECTED));
      expect(new Set(ids).size).toBe(ids.length);
    });

    it.each(EXPECTED)('are found by name: %s', async (id) => {
      const answer = await get(`${MODELS}/${encodeURIComponent(id)}`, headers);
      expect([answer.status, checkSchema(one, answer.json)]).toEqual([200, []]);
      expect(answer.json).toMatchObject({ id });
    });

    it.each<[string, string, string, number]>([
      ['a name that no provider offers', `${MODELS}/gpt-nobody`, 'GET', 404],
      ['an unknown name with a slash', `${MODELS}/org%2Fnobody`, 'GET', 404],
      ['a path that is not valid UTF-8', `${MODELS}/%E0%A4%A`, 'GET', 400],
      ['a path with an extra segment', `${MODELS}/org/llama/more`, 'GET', 404],
      ['an unsupported method', MODELS, 'DELETE', 405],
    ])('are refused in the shape of the dialect: %s', async (_what, path, method, status) => {
      const answer = await get(path, headers, method);
      expect([answer.status, checkSchema(error, answer.json)]).toEqual([status, []]);
    });

    it('are refused in the shape of the dialect without a key', async () => {
      const answer = await fixture.client.send(MODELS, { headers });
      expect([answer.status, checkSchema(error, answer.json)]).toEqual([401, []]);
    });
  });

  it('are listed in time even if a provider does not respond', async () => {
    await using silentProvider = await openScriptedProvider();
    silentProvider.script(neverAnswer(), { path: MODELS });
    await using other = await openFixture({
      transport,
      env: { LOCAL_BASE_URL: silentProvider.baseUrl, LOCAL_MODEL },
    });
    const answer = await other.client.send(MODELS);
    expect(answer.text).toContain('service-auto');
    expect(answer.text).toContain('scripted-model');
  });

  describe('with counts of tokens', () => {
    const { max_tokens: _limit, ...body } = MESSAGE_PING;
    const count = async (members: object = {}, path = COUNT): Promise<Answer> => {
      const before = await fixture.client.listCertificates();
      const answer = await fixture.client.send(path, { body: { ...body, ...members } });
      expect(await fixture.client.listCertificates()).toEqual(before);
      return answer;
    };

    it('are estimated, with nothing sent to a provider, and marked as such', async () => {
      const callsBefore = fixture.calls().length;
      for (const model of ['claude-test', 'gpt-test', 'service-sensitive']) {
        const answer = await count({ model, x_big: 1 }, `${COUNT}?beta=true`);
        expect([answer.status, checkSchema(TOKEN_COUNT, answer.json)]).toEqual([200, []]);
        expect(answer.headers.get('x-service-estimated')).toBe('true');
      }
      expect(fixture.calls()).toHaveLength(callsBefore);
    });

    it('are refused in the shape of the dialect', async () => {
      for (const [model, status] of [
        ['agent:nobody', 404],
        ['debate:future', 501],
      ] as const) {
        const answer = await count({ model });
        expect([answer.status, checkSchema(MESSAGE_ERROR, answer.json)]).toEqual([status, []]);
      }
    });
  });
});
