import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failMessageWith, failWith, failWithHtml, respondWith } from '@witan/testing';
import type { Script } from '@witan/testing';
import { anthropicClient } from './anthropic-client.ts';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { PAIRINGS } from './pairings.ts';
import type { Pairing } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import type { ClientKind, DialectName, Failure } from './test-client.ts';

const TURNS = [{ user: 'Say hello.' }];

/**
 * The provider's status, and the error class that the OpenAI and Anthropic clients throw for it.
 */
const PROVIDER_ERRORS: readonly (readonly [
  status: number,
  openAiClass: string,
  anthropicClass: string,
])[] = [
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
 * Provider responses that the gateway replaces by an error of its own: those without usable
 * content, and refusals of the operator's credentials.
 */
const UNUSABLE_RESPONSES: readonly (readonly [string, (dialect: DialectName) => Script])[] = [
  ["refuses the gateway's credentials (401)", (dialect) => failWithStatus(dialect, 401)],
  ["refuses the gateway's credentials (403)", (dialect) => failWithStatus(dialect, 403)],
  ['sends an HTML page with status 502', () => failWithHtml()],
  ['sends an HTML page with status 200', () => respondWith({ body: '<html></html>' })],
  ['breaks off inside its JSON', () => respondWith({ body: '{"choices":[{"index":0,' })],
  ['sends an empty body', () => respondWith({ status: 500, body: '' })],
];

const failWithStatus = (dialect: DialectName, status: number, headers = {}): Script =>
  dialect === 'messages' ? failMessageWith(status, { headers }) : failWith(status, { headers });

/** Returns the expected error class. The AI SDK throws the same class for every error. */
const expectedErrorClass = (
  clientKind: ClientKind,
  openAiClass: string,
  anthropicClass: string,
): string => {
  if (clientKind.name.startsWith('ai ')) return 'AI_APICallError';
  return clientKind === anthropicClient ? anthropicClass : openAiClass;
};

describe('a failing provider', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  /**
   * Makes a call that must fail. Expects one provider call, so no retry, and the error to have the
   * response's status and request id.
   */
  const callAndFail = async (
    pairing: Pairing,
    script: Script,
    streamed: boolean,
  ): Promise<Failure> => {
    const callsBefore = setup.fixture.calls().length;
    const client = setup.clientOf(pairing);
    setup.script(script);
    const { model } = pairing.vendor;
    const failure = await failureOf(client, client.ask({ model, streamed, turns: TURNS }));
    expect(setup.fixture.calls()).toHaveLength(callsBefore + 1);
    expect(failure.status).toBe(setup.lastCall().status);
    expect(failure.requestId).toBe(setup.lastCall().headers.get('x-request-id'));
    return failure;
  };

  describe.each(PAIRINGS)('seen from %s', (_title, pairing) => {
    const { dialect } = pairing.vendor;

    describe.each([
      ['plain', false],
      ['streamed', true],
    ])('%s', (_form, streamed) => {
      it.each(PROVIDER_ERRORS)(
        "is an error of status %i with the provider's message",
        async (status, openAiClass, anthropicClass) => {
          const headers = { 'retry-after': '7', 'x-should-retry': 'false' };
          const failure = await callAndFail(
            pairing,
            failWithStatus(dialect, status, headers),
            streamed,
          );
          expect(failure).toMatchObject({
            kind: expectedErrorClass(pairing.kind, openAiClass, anthropicClass),
            status,
            message: expect.stringContaining(`Scripted failure ${status}.`),
          });
          const call = setup.lastCall();
          expect(call.headers.get('retry-after')).toBe('7');
          expect(call.headers.get('x-should-retry')).toBe('false');
          await expectProven(setup, pairing, { finishReason: 'error' });
        },
      );

      it.each(UNUSABLE_RESPONSES)('is a bad gateway when it %s', async (_name, toScript) => {
        const failure = await callAndFail(pairing, toScript(dialect), streamed);
        expect(failure).toMatchObject({
          kind: expectedErrorClass(pairing.kind, 'InternalServerError', 'InternalServerError'),
          status: 502,
          message: expect.stringContaining('The model provider'),
        });
        expect(failure.message).not.toContain('Scripted failure');
        await expectProven(setup, pairing, { finishReason: 'error' });
      });
    });
  });
});
