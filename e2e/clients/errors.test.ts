import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failMessageWith, failWith, failWithHtml, respondWith } from '@witan/testing';
import type { Script } from '@witan/testing';
import { anthropicClient } from './anthropic-client.ts';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { LANES } from './lanes.ts';
import type { Lane } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import type { ClientKind, DialectName, Failure } from './test-client.ts';

const TURNS = [{ user: 'Say hello.' }];

/**
 * The provider's status, and the error class that the OpenAI and Anthropic clients throw for it.
 */
const REFUSALS: readonly (readonly [status: number, kind: string, anthropicKind: string])[] = [
  [400, 'BadRequestError', 'BadRequestError'],
  [404, 'NotFoundError', 'NotFoundError'],
  [409, 'ConflictError', 'ConflictError'],
  [413, 'APIError', 'ContentTooLargeError'],
  [422, 'UnprocessableEntityError', 'UnprocessableEntityError'],
  [429, 'RateLimitError', 'RateLimitError'],
  [500, 'InternalServerError', 'InternalServerError'],
  [503, 'InternalServerError', 'ServiceUnavailableError'],
  [504, 'InternalServerError', 'GatewayTimeoutError'],
  [529, 'InternalServerError', 'OverloadedError'],
];

/**
 * Provider errors that the gateway replaces by its own: without usable content, or about the
 * operator's credentials.
 */
const UNUSABLE: readonly (readonly [string, (dialect: DialectName) => Script])[] = [
  ['refuses our credentials (401)', (dialect) => refuse(dialect, 401)],
  ['refuses our credentials (403)', (dialect) => refuse(dialect, 403)],
  ['has an HTML page with status 502', () => failWithHtml()],
  ['has an HTML page with status 200', () => respondWith({ body: '<html></html>' })],
  ['breaks off inside its JSON', () => respondWith({ body: '{"choices":[{"index":0,' })],
  ['says nothing', () => respondWith({ status: 500, body: '' })],
];

const refuse = (dialect: DialectName, status: number, headers = {}): Script =>
  dialect === 'messages' ? failMessageWith(status, { headers }) : failWith(status, { headers });

/** Returns the expected error class. The AI SDK throws the same class for every error. */
const kindFor = (kind: ClientKind, usual: string, official: string): string => {
  if (kind.name.startsWith('ai ')) return 'AI_APICallError';
  return kind === anthropicClient ? official : usual;
};

describe('a failing provider', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  /** Makes a call that fails, and expects one provider call (no retry) and one certificate. */
  const fail = async (lane: Lane, script: Script, streamed: boolean): Promise<Failure> => {
    const asked = bench.fixture.calls().length;
    const client = bench.clientOf(lane);
    bench.script(script);
    const { model } = lane.vendor;
    const failure = await failureOf(client, client.ask({ model, streamed, turns: TURNS }));
    expect(bench.fixture.calls()).toHaveLength(asked + 1);
    expect(failure.status).toBe(bench.lastCall().status);
    expect(failure.requestId).toBe(bench.lastCall().headers.get('x-request-id'));
    return failure;
  };

  describe.each(LANES)('seen from %s', (_title, lane) => {
    const { dialect } = lane.vendor;

    describe.each([
      ['plain', false],
      ['streamed', true],
    ])('%s', (_form, streamed) => {
      it.each(REFUSALS)(
        "is an error of status %i with the provider's message",
        async (status, usual, official) => {
          const headers = { 'retry-after': '7', 'x-should-retry': 'false' };
          const failure = await fail(lane, refuse(dialect, status, headers), streamed);
          expect(failure).toMatchObject({
            kind: kindFor(lane.kind, usual, official),
            status,
            message: expect.stringContaining(`Scripted failure ${status}.`),
          });
          const call = bench.lastCall();
          expect(call.headers.get('retry-after')).toBe('7');
          expect(call.headers.get('x-should-retry')).toBe('false');
          await expectProven(bench, lane, { finishReason: 'error' });
        },
      );

      it.each(UNUSABLE)('is a bad gateway when it %s', async (_what, scriptFor) => {
        const failure = await fail(lane, scriptFor(dialect), streamed);
        expect(failure).toMatchObject({
          kind: kindFor(lane.kind, 'InternalServerError', 'InternalServerError'),
          status: 502,
          message: expect.stringContaining('The model provider'),
        });
        expect(failure.message).not.toContain('Scripted failure');
        await expectProven(bench, lane, { finishReason: 'error' });
      });
    });
  });
});
