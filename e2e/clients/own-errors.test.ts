import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { APICallError, generateText } from 'ai';
import { anthropicClient } from './anthropic-client.ts';
import { expectConforming } from './expect-conforming.ts';
import { failureOf } from './failure-of.ts';
import { CLIENTS } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import type { ClientKind } from './test-client.ts';

type Status = { chat: number; messages: number };
const both = (status: number): Status => ({ chat: status, messages: status });

/**
 * The gateway's own errors: the model name that causes the error, its status in each dialect, its
 * class and its message.
 */
const REFUSED: readonly (readonly [name: string, status: Status, kind: string, message: RegExp])[] =
  [
    ['agent:nobody', both(404), 'NotFoundError', /nobody/],
    ['debate:anything', both(501), 'NotImplementedError', /POST \/v1\/conversations/],
    ['a name of more than 256 characters '.repeat(8), both(400), 'BadRequestError', /model/],
  ];

/**
 * Returns the expected error class. The AI SDK has one class for all errors; the other clients
 * except the Anthropic one have one for all server errors.
 */
const kindFor = (kind: ClientKind, status: number, official: string): string => {
  if (kind.name.startsWith('ai ')) return 'AI_APICallError';
  return kind === anthropicClient || status < 500 ? official : 'InternalServerError';
};

describe('errors of the gateway itself', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    expect(bench.fixture.calls()).toEqual([]);
    expect(await bench.fixture.client.listCertificates()).toEqual([]);
    await bench[Symbol.asyncDispose]();
  });

  describe.each(CLIENTS.map((kind) => [kind.name, kind] as const))('seen from %s', (_n, kind) => {
    it.each(REFUSED)(
      'have the status and the message: %s',
      async (model, statuses, official, message) => {
        const status = statuses[kind.dialect === 'messages' ? 'messages' : 'chat'];
        for (const streamed of [false, true]) {
          const client = bench.clientOf({ kind });
          const call = client.ask({ model, streamed, turns: [{ user: 'Hello?' }] });
          const failure = await failureOf(client, call);
          expect(failure).toEqual({
            kind: kindFor(kind, status, official),
            status,
            message: expect.stringMatching(message),
            requestId: expect.stringMatching(/^req_/),
          });
          await bench.lastCall().ended;
          expectConforming(bench.lastCall(), { isOwn: true });
          expect(bench.lastCall().headers.has('x-service-proof')).toBe(false);
        }
      },
    );

    it('are an AuthenticationError for an unknown key', async () => {
      const { baseUrl: origin } = bench.fixture.system;
      const client = kind.create({ origin, apiKey: 'sk-nobody', fetch: bench.wire.fetch });
      const call = client.ask({ model: 'service-auto', turns: [{ user: 'Hello?' }] });
      const failure = await failureOf(client, call);
      expect(failure).toMatchObject({
        kind: kindFor(kind, 401, 'AuthenticationError'),
        status: 401,
      });
      await bench.lastCall().ended;
      expectConforming(bench.lastCall(), { isOwn: true });
    });
  });

  it('answer the responses API, which the AI SDK calls, with a JSON 404', async () => {
    const { baseUrl, apiKey } = bench.fixture.system;
    const { fetch } = bench.wire;
    const openai = createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey, fetch });
    const call = generateText({ model: openai('gpt-4.1'), prompt: 'Hello?', maxRetries: 0 });
    const error: unknown = await call.catch((caught: unknown) => caught);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      statusCode: 404,
      message: expect.stringContaining('/v1/responses'),
    });
  });
});
