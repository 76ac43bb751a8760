import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerMessageWith, answerWith, createGate } from '@witan/testing';
import type { Gate, Script } from '@witan/testing';
import { CHAT, MESSAGE_PING, MESSAGES, PING, readAnswer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

/**
 * Number of calls made while the provider delays its answer, so that the delay is longer than any
 * of them.
 */
const CALLS_MEANWHILE = 3;
const CLOCK_TOLERANCE_MS = 1;

type Delivery = { headers?: Record<string, string>; after?: Promise<unknown>; gate?: Gate };
type Call = [name: string, path: string, body: object, answer: (delivery: Delivery) => Script];

const chatAnswer = (delivery: Delivery): Script => answerWith({}, delivery);
const messageAnswer = (delivery: Delivery): Script => answerMessageWith({}, delivery);
const toStreamed = ([name, path, body, answer]: Call): Call => [
  `${name}, streamed`,
  path,
  { ...body, stream: true },
  answer,
];

const PLAIN: Call[] = [
  ['chat completions', CHAT, PING, chatAnswer],
  ['chat completions crossed', CHAT, { ...PING, model: 'claude-test' }, messageAnswer],
  ['messages', MESSAGES, MESSAGE_PING, messageAnswer],
  ['messages crossed', MESSAGES, { ...MESSAGE_PING, model: 'gpt-test' }, chatAnswer],
];
const STREAMED = PLAIN.map(toStreamed);
const CALLS = [...PLAIN, ...STREAMED];

describe.each(TRANSPORTS)('responses, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it.each(CALLS)('have their headers for %s', async (_name, path, body, answerWithDelivery) => {
    const upstreamHeaders = { 'x-request-id': 'req_upstream', 'request-id': 'req_upstream' };
    fixture.provider.script(answerWithDelivery({ headers: upstreamHeaders }));
    const headers = {
      'x-api-key': fixture.system.apiKey,
      'content-type': 'application/json',
      'x-request-id': 'client-id_0001',
    };
    const answer = await fixture.client.send(path, { body, headers });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-request-id': 'client-id_0001',
      'x-upstream-request-id': 'req_upstream',
      'x-service-proof': expect.stringMatching(/^pf_[0-9A-Za-z]{16,}$/),
      'x-service-model': (body as { model: string }).model,
      'x-service-provider': expect.stringMatching(/^(openai|anthropic)$/),
      'x-service-overhead-ms': expect.stringMatching(/^\d+(\.\d+)?$/),
    });
    const expectedId = path === MESSAGES ? 'client-id_0001' : null;
    expect(answer.headers.get('request-id')).toBe(expectedId);
  });

  /**
   * Makes a call and returns its total time, the provider's share of it, and the overhead that the
   * response header reports, in milliseconds.
   */
  const measure = async (
    path: string,
    body: object,
    { answer, gate }: { answer: (delivery: Delivery) => Script; gate?: Gate },
  ): Promise<{ tookMs: number; providerMs: number; overheadMs: number }> => {
    const providerPause = Promise.withResolvers<void>();
    const callNumber = fixture.provider.requests.length + 1;
    fixture.provider.script(answer(gate ? { gate } : { after: providerPause.promise }));
    const startedAt = performance.now();
    const pendingResponse = fixture.client.open(path, { body });
    await fixture.provider.whenRequest(callNumber);
    const providerCalledAt = performance.now();
    for (let calls = 0; calls < CALLS_MEANWHILE; calls += 1) await fixture.client.complete(PING);
    const providerMs = performance.now() - providerCalledAt;
    providerPause.resolve();
    gate?.open();
    const { headers } = await readAnswer(await pendingResponse);
    const tookMs = performance.now() - startedAt;
    return { tookMs, providerMs, overheadMs: Number(headers.get('x-service-overhead-ms')) };
  };

  it.each(CALLS)(
    "exclude the provider's time from the overhead header: %s",
    async (_name, path, body, answer) => {
      const { tookMs, providerMs, overheadMs } = await measure(path, body, { answer });
      expect(overheadMs).toBeGreaterThan(0);
      expect(overheadMs).toBeLessThan(tookMs - providerMs + CLOCK_TOLERANCE_MS);
    },
  );

  it.each(STREAMED)(
    "count the wait for the first content as the provider's time: %s",
    async (_name, path, body, answer) => {
      const gate = createGate();
      gate.release();
      const { tookMs, providerMs, overheadMs } = await measure(path, body, { answer, gate });
      expect(overheadMs).toBeLessThan(tookMs - providerMs + CLOCK_TOLERANCE_MS);
    },
  );

  it.each(PLAIN)('ignore unknown query parameters: %s', async (_name, path, body) => {
    const answer = await fixture.client.send(`${path}?beta=true&beta=false&x[y]=1&=`, { body });
    expect(answer.status).toBe(200);
  });

  it.each(['/', '/?x=1'])('answer HEAD %s with 200 and no body, without a key', async (path) => {
    const answer = await fixture.client.send(path, { method: 'HEAD', headers: {} });
    expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });
});
