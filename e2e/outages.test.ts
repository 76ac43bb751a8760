import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyChain, verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { answerWith, eventually } from '@witan/testing';
import { countReservations } from './count-reservations.ts';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal, expectNativeRefusal } from './expect-refusal.ts';
import { PING } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAM = { ...PING, stream: true };
const OVERLOADED = { status: 503, type: 'server_error', code: 'overloaded' };
const UNAVAILABLE = { status: 503, type: 'server_error', code: 'unavailable' };

describe.each(TRANSPORTS)('an outage, services over %s', (transport) => {
  let fixture: Fixture;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Expects a plain and a streamed completion to be refused as overloaded before any provider call.
   */
  const expectRefused = async (): Promise<void> => {
    const callsBefore = fixture.calls().length;
    for (const body of [PING, STREAM]) {
      const answer = await fixture.client.complete(body);
      expectChatRefusal(answer, OVERLOADED);
      expectDocumented(answer, 'POST /v1/chat/completions');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(fixture.calls()).toHaveLength(callsBefore);
  };

  const readinessOf = async (service: string): Promise<[number, unknown]> => {
    const response = await fetch(`${fixture.system.adminUrls[service]}/readyz`);
    return [response.status, await response.json()];
  };

  /**
   * Resolves when a completion succeeds. Over gRPC, calls to a restarted service fail until the
   * client has reconnected.
   */
  const whenCompletionSucceeds = (): Promise<number> =>
    eventually(async () => {
      const { status } = await fixture.client.complete(PING);
      return status === 200 ? status : undefined;
    }, 'an answer');

  it('of the ledger causes 503 before any provider call, and recovers by itself', async () => {
    const before = await fixture.client.listCertificates();
    expect(await readinessOf('api-gateway')).toMatchObject([200, { checks: { ledger: 'ok' } }]);
    const resume = await fixture.system.interrupt('ledger');
    await expectRefused();
    for (const [path, operation] of [
      ['/v1/proofs', 'GET /v1/proofs'],
      ['/v1/proofs/export', 'GET /v1/proofs/export'],
      ['/v1/proofs/pf_0000000000000000000000', 'GET /v1/proofs/{id}'],
      ['/v1/gateway/public-key', 'GET /v1/gateway/public-key'],
    ] as const) {
      const answer = await fixture.client.send(path);
      expectNativeRefusal(answer, UNAVAILABLE);
      expectDocumented(answer, operation);
    }
    expect((await fixture.client.send('/v1/models')).status).toBe(200);
    expect(await readinessOf('api-gateway')).toMatchObject([
      200,
      { ready: true, checks: { database: 'ok', ledger: 'degraded' } },
    ]);
    await resume();
    await whenCompletionSucceeds();
    expect(await fixture.client.listCertificates()).toHaveLength(before.length + 1);
    expect(await countReservations(fixture.system, 'held')).toBe(0);
  });

  it('of the llm-gateway causes 503, while certificates are still served', async () => {
    const resume = await fixture.system.interrupt('llm-gateway');
    await expectRefused();
    expectChatRefusal(await fixture.client.send('/v1/models'), OVERLOADED);
    expect((await fixture.client.send('/v1/proofs')).status).toBe(200);
    await resume();
    await whenCompletionSucceeds();
  });

  it('of the notifier causes 503 for webhooks only, and recovers by itself', async () => {
    const resume = await fixture.system.interrupt('notifier');
    const draft = { url: 'https://webhooks.invalid/in', events: ['debate.synthesized'] };
    const list = await fixture.client.send('/v1/webhooks');
    const created = await fixture.client.send('/v1/webhooks', { body: draft });
    for (const [answer, operation] of [
      [list, 'GET /v1/webhooks'],
      [created, 'POST /v1/webhooks'],
    ] as const) {
      expectNativeRefusal(answer, UNAVAILABLE);
      expectDocumented(answer, operation);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await fixture.client.complete(PING)).status).toBe(200);
    expect(await readinessOf('api-gateway')).toMatchObject([200, { ready: true }]);
    await resume();
    const { json } = await eventually(async () => {
      const answer = await fixture.client.send('/v1/webhooks');
      return answer.status === 200 ? answer : undefined;
    }, 'an answer');
    expect(json).toEqual({ webhooks: [] });
  });

  it.each([
    ['plain', PING],
    ['streamed', STREAM],
  ])(
    'of the ledger during a %s call delays the end of the call until it is over',
    async (_n, body) => {
      const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
      const callNumber = fixture.provider.requests.length + 1;
      fixture.provider.script(answerWith({ content: 'held back' }, { after: mayAnswer }));
      let ended = false;
      const call = fixture.client.complete(body).finally(() => {
        ended = true;
      });
      await fixture.provider.whenRequest(callNumber);
      const resume = await fixture.system.interrupt('ledger');
      letAnswer();
      // Waits until the provider's call has ended. Its answer cannot be certified while the ledger
      // is down.
      await fixture.provider.whenAborted(callNumber).catch(() => undefined);
      expect(ended).toBe(false);
      await resume();
      const answer = await call;
      expect(answer.status).toBe(200);
      const { json } = await fixture.client.send(
        `/v1/proofs/${answer.headers.get('x-service-proof')}`,
      );
      verifyResponse((json as Certificate).payload, answer.bytes);
      expect((json as Certificate).payload.response.finishReason).toBe('stop');
    },
  );

  it('leaves a chain without gaps', async () => {
    const { text } = await fixture.client.send('/v1/proofs/export');
    const { count } = await verifyChain(text.split('\n'));
    expect(count).toBe(fixture.calls().length);
  });
});
