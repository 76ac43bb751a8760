import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anthropicClient } from './anthropic-client.ts';
import { expectConforming } from './expect-conforming.ts';
import { failureOf } from './failure-of.ts';
import { CLIENTS } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import type { ClientKind } from './test-client.ts';

type Status = { chat: number; messages: number };
const sameStatus = (status: number): Status => ({ chat: status, messages: status });

/**
 * The gateway's own errors: the model name that causes the error, its status in each dialect, its
 * class and its message.
 */
const ERROR_CASES: readonly (readonly [
  name: string,
  status: Status,
  usualClass: string,
  message: RegExp,
])[] = [
  ['agent:nobody', sameStatus(404), 'NotFoundError', /nobody/],
  ['debate:anything', sameStatus(501), 'NotImplementedError', /POST \/v1\/conversations/],
  ['a name of more than 256 characters '.repeat(8), sameStatus(400), 'BadRequestError', /model/],
];

/**
 * Returns the expected error class. The AI SDK has one class for all errors; the other clients
 * except the Anthropic one have one for all server errors.
 */
const expectedErrorClass = (clientKind: ClientKind, status: number, usualClass: string): string => {
  if (clientKind.name.startsWith('ai ')) return 'AI_APICallError';
  return clientKind === anthropicClient || status < 500 ? usualClass : 'InternalServerError';
};

describe('errors of the gateway itself', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    expect(setup.fixture.calls()).toEqual([]);
    expect(await setup.fixture.client.listCertificates()).toEqual([]);
    await setup[Symbol.asyncDispose]();
  });

  describe.each(CLIENTS.map((kind) => [kind.name, kind] as const))(
    'seen from %s',
    (_name, kind) => {
      it.each(ERROR_CASES)(
        'have the status and the message: %s',
        async (model, statuses, usualClass, message) => {
          const status = statuses[kind.dialect === 'messages' ? 'messages' : 'chat'];
          for (const streamed of [false, true]) {
            const client = setup.clientOf({ kind });
            const call = client.ask({ model, streamed, turns: [{ user: 'Hello?' }] });
            const failure = await failureOf(client, call);
            expect(failure).toEqual({
              kind: expectedErrorClass(kind, status, usualClass),
              status,
              message: expect.stringMatching(message),
              requestId: expect.stringMatching(/^req_/),
            });
            await setup.lastCall().ended;
            expectConforming(setup.lastCall(), { isGatewayOutput: true });
            expect(setup.lastCall().headers.has('x-service-proof')).toBe(false);
          }
        },
      );

      it('are an AuthenticationError for an unknown key', async () => {
        const { baseUrl: origin } = setup.fixture.system;
        const client = kind.create({ origin, apiKey: 'sk-nobody', fetch: setup.recorder.fetch });
        const call = client.ask({ model: 'service-auto', turns: [{ user: 'Hello?' }] });
        const failure = await failureOf(client, call);
        expect(failure).toMatchObject({
          kind: expectedErrorClass(kind, 401, 'AuthenticationError'),
          status: 401,
        });
        await setup.lastCall().ended;
        expectConforming(setup.lastCall(), { isGatewayOutput: true });
      });
    },
  );
});
