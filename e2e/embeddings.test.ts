import fc from 'fast-check';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toBase64Vector, verifyRequest, verifyResponse } from '@witan/proof';
import {
  answerEmbeddings,
  failWith,
  openScriptedProvider,
  openTestSystem,
  respondWith,
  SCRIPTED_VECTOR,
} from '@witan/testing';
import type { Script, ScriptedProvider, TestSystem } from '@witan/testing';
import { checkSchema } from './conformance/check-schema.ts';
import { CHAT_ERROR } from './conformance/chat-schemas.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const EMBEDDINGS = '/v1/embeddings';
const MODEL = 'text-embedding-3-small';
const LOCAL_MODEL = 'local-embedding';
const EMAIL = 'ann.lee@example.com';
const IBAN = 'DE89 3704 0044 0532 0130 00';
const USAGE = { prompt_tokens: 5, total_tokens: 5 };

type Row = { index: number; embedding: number[] | string };
type Embeddings = { data: Row[]; usage: typeof USAGE };

const toList = (embeddings: readonly (number[] | string)[], usage: object = USAGE): object => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: MODEL,
  usage,
});

const FLOATS = SCRIPTED_VECTOR;
const ROUNDED = FLOATS.map(Math.fround);

describe.each(TRANSPORTS)('embeddings, services over %s', (transport) => {
  let local: ScriptedProvider;
  let fixture: Fixture;

  beforeAll(async () => {
    local = await openScriptedProvider();
    const env = {
      METERING: 'metered',
      WITAN_OPENING_CREDIT: '1000000',
      LOCAL_BASE_URL: local.baseUrl,
      LOCAL_MODEL: 'local-model',
      LOCAL_EMBEDDING_MODEL: LOCAL_MODEL,
      WITAN_DEFAULT_PROVIDER: 'openai',
    };
    fixture = await openFixture({ transport, env });
  });
  afterAll(async () => {
    await local[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const sendTo = (provider: ScriptedProvider, body: object, init: object = {}): Promise<Answer> => {
    provider.script(answerEmbeddings);
    return fixture.client.send(EMBEDDINGS, { body, ...init });
  };
  const send = (body: object, init?: object): Promise<Answer> =>
    sendTo(fixture.provider, { model: MODEL, ...body }, init);
  const lastBody = (): Record<string, unknown> =>
    fixture.provider.requests.at(-1)!.parsed as Record<string, unknown>;

  it('are those of the official SDK, in its default and in each encoding', async () => {
    const { baseUrl, apiKey } = fixture.system;
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    for (const encoding of [undefined, 'float', 'base64'] as const) {
      fixture.provider.script(answerEmbeddings);
      const { data, response } = await client.embeddings
        .create({ model: MODEL, input: ['one', 'two'], encoding_format: encoding })
        .withResponse();
      expect(data.data.map(({ index }) => index)).toEqual([0, 1]);
      const [first] = data.data.map(({ embedding }) => embedding as number[] | string);
      const expected = { float: FLOATS, base64: toBase64Vector(FLOATS) };
      expect(first).toEqual(encoding ? expected[encoding] : ROUNDED);
      expect(response.headers.get('x-service-provider')).toBe('openai');
      expect(response.headers.get('x-service-model')).toBe(MODEL);
    }
  });

  it('are certified, whichever encoding the client has', async () => {
    for (const encoding_format of ['float', 'base64']) {
      const body = { input: ['The harbour opens.', 'Say hi 😀'], encoding_format };
      const answer = await send(body);
      const { payload } = await fixture.client.certificateOf(answer);
      expect(payload).toMatchObject({
        address: { kind: 'model' },
        egress: { provider: 'openai', model: MODEL, pii: { masked: 0 } },
        response: {
          finishReason: 'stop',
          usage: { promptTokens: 5, completionTokens: 0, totalTokens: 5 },
        },
        routing: { taskType: 'embedding', reason: 'passthrough' },
      });
      verifyRequest(payload, JSON.stringify({ model: MODEL, ...body }));
      expect(verifyResponse(payload, answer.bytes)).toEqual({
        compared: ['vectors', 'usage', 'model'],
        notCovered: [],
      });
      const changed = answer.text.replace(encoding_format === 'float' ? '0.25' : 'AACA', 'AADA');
      const wrong = encoding_format === 'float' ? changed.replace('AADA', '0.5') : changed;
      expect(() => verifyResponse(payload, Buffer.from(wrong))).toThrow('commits to');
    }
  });

  it('mask personal data, equally in each call', async () => {
    const input = [`Write to ${EMAIL}.`, `Write to ${EMAIL}.`];
    const answer = await send({ input, user: EMAIL });
    const first = lastBody();
    await send({ input, user: EMAIL });
    expect(lastBody()).toEqual(first);
    const [one, two] = first.input as string[];
    expect(one).toMatch(/^Write to \[\[EMAIL_\w+\]\]\.$/);
    expect(two).toBe(one);
    expect(JSON.stringify(first)).not.toContain(EMAIL);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.egress.pii).toEqual({ masked: 3, categories: ['EMAIL'] });
  });

  it('are charged for the tokens of the input', async () => {
    const readPosted = async (): Promise<number> => {
      const { json } = await fixture.client.send('/v1/ledger/balance');
      return (json as { balance: { posted: number } }).balance.posted;
    };
    const before = await readPosted();
    await send({ input: 'a' });
    expect(await readPosted()).toBe(before - USAGE.total_tokens);
  });

  it('are made once for an Idempotency-Key', async () => {
    const headers = {
      'x-api-key': fixture.system.apiKey,
      'content-type': 'application/json',
      'idempotency-key': `embeddings-${transport}`,
    };
    const first = await send({ input: 'once' }, { headers });
    const count = fixture.calls().length;
    const again = await fixture.client.send(EMBEDDINGS, {
      body: { model: MODEL, input: 'once' },
      headers,
    });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([again.text, fixture.calls().length]).toEqual([first.text, count]);
  });

  it.each(['service-auto', 'service-agent', 'no-such-model'])(
    'use the configured model for %s',
    async (model) => {
      expect((await send({ model, input: 'a' })).status).toBe(200);
      expect(lastBody().model).toBe(MODEL);
    },
  );

  it.each([
    ['service-auto', `My account is ${IBAN}.`],
    ['service-auto', [1, 2, 3]],
    ['service-auto', [[1], [2, 3]]],
    ['service-sensitive', 'a'],
    [`${MODEL}+sensitive`, 'a'],
  ])('are made on this machine for %s: %j', async (model, input) => {
    const answer = await sendTo(local, { model, input });
    expect([answer.status, answer.headers.get('x-service-provider')]).toEqual([200, 'local']);
    expect(local.requests.at(-1)!.path).toBe('/v1/embeddings');
    expect(local.requests.at(-1)!.parsed).toEqual({ model: LOCAL_MODEL, input });
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.routing).toMatchObject({ taskType: 'embedding', reason: 'sensitive_local' });
  });

  it('are not sent to a hosted provider as tokens, which cannot be masked', async () => {
    const count = fixture.calls().length;
    const answer = await fixture.client.send(EMBEDDINGS, { body: { model: MODEL, input: [1, 2] } });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: { message: expect.stringContaining('tokens cannot be masked'), param: 'input' },
    });
    expect(fixture.calls()).toHaveLength(count);
  });

  it('have the requested encoding even if the provider has another', async () => {
    fixture.provider.script(respondWith({ body: toList([FLOATS]) }));
    const body = { model: MODEL, input: 'a', encoding_format: 'base64' };
    const inBase64 = await fixture.client.send(EMBEDDINGS, { body });
    expect((inBase64.json as Embeddings).data[0]!.embedding).toBe(toBase64Vector(FLOATS));
    fixture.provider.script(respondWith({ body: toList([toBase64Vector(FLOATS)!]) }));
    const inFloats = await fixture.client.send(EMBEDDINGS, { body: { model: MODEL, input: 'a' } });
    expect((inFloats.json as Embeddings).data[0]!.embedding).toEqual(ROUNDED);
    for (const answer of [inBase64, inFloats]) {
      const { payload } = await fixture.client.certificateOf(answer);
      expect(verifyResponse(payload, answer.bytes).compared).toContain('vectors');
    }
  });

  it.each<[string, Script, number]>([
    ['no vectors', respondWith({ body: { object: 'list', data: [] } }), 502],
    ['too few vectors', respondWith({ body: toList([FLOATS]) }), 502],
    ['vectors that are none', respondWith({ body: toList(['no base64!']) }), 502],
    ['a page', respondWith({ body: '<html></html>' }), 502],
    ['a refusal', failWith(400), 400],
    ['an overload', failWith(503), 503],
  ])('fail, with a certificate, if the provider answers with %s', async (_name, script, status) => {
    fixture.provider.script(script);
    const answer = await fixture.client.send(EMBEDDINGS, {
      body: { model: MODEL, input: ['a', 'b'] },
    });
    expect(answer.status).toBe(status);
    expect(checkSchema(CHAT_ERROR, answer.json)).toEqual([]);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.response).toMatchObject({ finishReason: 'error' });
    expect(payload.routing.taskType).toBe('embedding');
  });

  it.each([
    ['claude-test', 'makes no embeddings'],
    ['agent:advisor', 'an agent makes no embeddings'],
    [`${MODEL}+knowledge`, '+knowledge makes no embeddings'],
  ])('are refused by %s', async (model, message) => {
    const answer = await fixture.client.send(EMBEDDINGS, { body: { model, input: 'a' } });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: { message: expect.stringContaining(message), param: 'model' },
    });
  });

  it('answer every body that is none with a clear 400', async () => {
    const member = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined));
    const bodies = fc.record({
      model: fc.oneof(fc.constant(MODEL), member),
      input: member,
      encoding_format: member,
      dimensions: member,
    });
    const isValid = ({ model, input, encoding_format, dimensions }: Record<string, unknown>) =>
      model === MODEL &&
      [undefined, null, 'float', 'base64'].includes(encoding_format as string) &&
      (dimensions == null || Number.isInteger(dimensions)) &&
      (typeof input === 'string' || Array.isArray(input));
    await fc.assert(
      fc.asyncProperty(
        bodies.filter((body) => !isValid(body)),
        async (body) => {
          const answer = await fixture.client.send(EMBEDDINGS, { body });
          expect(answer.status).toBe(400);
          expect(checkSchema(CHAT_ERROR, answer.json)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('embeddings of the offline provider', () => {
  let system: TestSystem;
  let client: HttpClient;

  beforeAll(async () => {
    system = await openTestSystem();
    client = createHttpClient(system);
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  const embed = async (input: unknown, more: object = {}): Promise<number[][]> => {
    const answer = await client.send(EMBEDDINGS, { body: { model: MODEL, input, ...more } });
    expect(answer.status).toBe(200);
    return (answer.json as Embeddings).data.map(({ embedding }) => embedding as number[]);
  };
  const multiply = (a: number[], b: number[]): number =>
    a.reduce((sum, value, index) => sum + value * b[index]!, 0);

  it('are deterministic, have length 1, and are similar for similar texts', async () => {
    const texts = ['The harbour opens at nine.', 'When does the harbour open?', 'Tax law in Peru'];
    const [first, second, third] = await embed(texts);
    const [again] = await embed(texts[0]);
    expect(again).toEqual(first);
    expect(multiply(first!, first!)).toBeCloseTo(1, 5);
    expect(multiply(first!, second!)).toBeGreaterThan(multiply(first!, third!));
  });

  it('have the requested dimensions, and take tokens', async () => {
    const vectors = await embed([[1, 2], [3]], { dimensions: 32 });
    expect(vectors.map(({ length }) => length)).toEqual([32, 32]);
    expect(vectors[0]).not.toEqual(vectors[1]);
  });
});
