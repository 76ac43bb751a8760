import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerMessageWith,
  answerWith,
  cutBeforeHeaders,
  cutMidBody,
  failWith,
  failWithHtml,
  neverAnswer,
  streamFrames,
  toChatChunks,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { checkChatStream } from './conformance/check-chat-stream.ts';
import { checkMessageStream } from './conformance/check-message-stream.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { DOWN, FIRST, openFallbackChain, SECOND } from './open-fallback-chain.ts';
import type { FallbackChain } from './open-fallback-chain.ts';

const REQUEST = { ...PING, model: 'chain' };
const STREAM = { ...REQUEST, stream: true };
/** Timeout after which a silent provider is skipped; no scripted answer takes as long. */
const PROVIDER_TIMEOUT_MS = 400;
/** Tolerance for the resolution of the clock, in milliseconds. */
const CLOCK_TOLERANCE_MS = 2;

/** Failures of a target after which the gateway tries the next target. */
const TEMPORARY_FAILURES: [string, Script][] = [
  ['429', failWith(429, { headers: { 'retry-after': '7' } })],
  ['500', failWith(500)],
  ['503', failWith(503)],
  ['529', failWith(529)],
  ['an HTML page (502)', failWithHtml()],
  ['a cut before headers', cutBeforeHeaders()],
  ['a cut inside the body', cutMidBody()],
  ['an empty stream', streamFrames([], { sendDone: false })],
  ['a stream that is cut before content', streamFrames(toChatChunks(), { cutAfter: 1 })],
  [
    'a stream that breaks off with an error before content',
    streamFrames([{ choices: [] }, { error: { message: 'x' } }], { sendDone: false }),
  ],
];

/**
 * Failures caused by the request or by credentials, after which no other target is tried; and the
 * client's status.
 */
const FINAL_FAILURES: [string, Script, number][] = [
  ['400', failWith(400), 400],
  ['404', failWith(404), 404],
  ['413', failWith(413), 413],
  ['422', failWith(422), 422],
  ['401', failWith(401), 502],
  ['403', failWith(403), 502],
];

describe.each(TRANSPORTS)('a fallback chain, services over %s', (transport) => {
  let chain: FallbackChain;

  beforeAll(async () => {
    const timeout = String(PROVIDER_TIMEOUT_MS);
    const env = {
      WITAN_PROVIDER_FIRST_BYTE_TIMEOUT_MS: timeout,
      WITAN_PROVIDER_IDLE_TIMEOUT_MS: timeout,
    };
    chain = await openFallbackChain({ transport, env });
  });
  afterAll(async () => {
    await chain[Symbol.asyncDispose]();
  });

  it.each([
    ['plain', REQUEST],
    ['streamed', STREAM],
  ])('starts with its best target (%s)', async (_name, body) => {
    await chain.setTargets(FIRST, SECOND);
    const [[answer, certificates], counts] = await chain.callAndCountRequests(() =>
      chain.callAndListCertificates(() => chain.client.complete(body)),
    );
    expect([answer.status, counts]).toEqual([200, [1, 0]]);
    expect(certificates).toMatchObject([{ egress: FIRST, routing: { reason: 'alias' } }]);
  });

  describe.each([
    ['plain', REQUEST],
    ['streamed', STREAM],
  ])('on a %s call', (_form, body) => {
    it.each(TEMPORARY_FAILURES)('tries the next target after %s', async (_failure, script) => {
      await chain.setTargets(FIRST, SECOND);
      chain.first.script(script);
      const [[answer, certificates], counts] = await chain.callAndCountRequests(() =>
        chain.callAndListCertificates(() => chain.client.complete(body)),
      );
      expect([answer.status, counts]).toEqual([200, [1, 1]]);
      expect(answer.text).toMatch(/po.*ng/s);
      expect(answer.headers.get('x-service-model')).toBe(SECOND.model);
      expect(answer.headers.get('x-service-provider')).toBe(SECOND.provider);
      expect(answer.headers.has('retry-after')).toBe(false);
      expect(certificates).toMatchObject([
        { egress: FIRST, response: { finishReason: 'error' }, routing: { reason: 'alias' } },
        { egress: SECOND, response: { finishReason: 'stop' }, routing: { reason: 'fallback' } },
      ]);
      expect(answer.headers.get('x-service-proof')).toBe(certificates[1]!.id);
      expect(new Set(certificates.map(({ request }) => request.sha256)).size).toBe(1);
    });

    it.each(FINAL_FAILURES)(
      'stops at %s, because the request itself is wrong',
      async (_name, script, status) => {
        await chain.setTargets(FIRST, SECOND);
        chain.first.script(script);
        const [[answer, certificates], counts] = await chain.callAndCountRequests(() =>
          chain.callAndListCertificates(() => chain.client.complete(body)),
        );
        expect([answer.status, counts]).toEqual([status, [1, 0]]);
        expect(certificates).toMatchObject([
          { egress: FIRST, response: { finishReason: 'error' } },
        ]);
      },
    );

    it('records nothing for a target that cannot be reached', async () => {
      await chain.setTargets(DOWN, FIRST);
      const [answer, certificates] = await chain.callAndListCertificates(() =>
        chain.client.complete(body),
      );
      expect(answer.status).toBe(200);
      expect(certificates).toMatchObject([{ egress: FIRST, routing: { reason: 'fallback' } }]);
      expect(answer.headers.get('x-service-proof')).toBe(certificates[0]!.id);
    });

    it('returns the error of the last target if all fail', async () => {
      await chain.setTargets(SECOND, DOWN, FIRST);
      chain.second.script(failWith(500));
      chain.first.script(failWith(429, { headers: { 'retry-after': '9' } }));
      const [answer, certificates] = await chain.callAndListCertificates(() =>
        chain.client.complete(body),
      );
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '9']);
      expect(answer.json).toMatchObject({ error: { message: 'Scripted failure 429.' } });
      expect(certificates.map(({ egress }) => egress.provider)).toEqual(['second', 'first']);
    });

    it('does not retry a single target', async () => {
      await chain.setTargets(FIRST);
      for (const script of [failWith(429), failWith(500), cutBeforeHeaders()]) {
        chain.first.script(script);
        const [answer, counts] = await chain.callAndCountRequests(() =>
          chain.client.complete(body),
        );
        expect([answer.status >= 429, counts]).toEqual([true, [1, 0]]);
      }
    });
  });

  it('skips a target that cannot express the request, and names the certificate of the first', async () => {
    await chain.setTargets(FIRST, SECOND);
    chain.first.script(failWith(500));
    const [[answer, certificates], counts] = await chain.callAndCountRequests(() =>
      chain.callAndListCertificates(() => chain.client.complete({ ...REQUEST, n: 2 })),
    );
    expect([answer.status, counts]).toEqual([502, [1, 0]]);
    expect(answer.headers.get('x-service-proof')).toBe(certificates[0]!.id);
    expect(certificates).toMatchObject([{ egress: FIRST, response: { finishReason: 'error' } }]);
  });

  it.each([
    ['nothing at all', neverAnswer()],
    ['headers only', neverAnswer({ sendHeaders: true })],
  ])('tries the next target after a timeout: %s', async (_name, script) => {
    await chain.setTargets(FIRST, SECOND);
    chain.first.script(script);
    const callNumber = chain.first.requests.length + 1;
    const startedAt = performance.now();
    const [answer, certificates] = await chain.callAndListCertificates(() =>
      chain.client.complete(STREAM),
    );
    const tookMs = performance.now() - startedAt;
    expect((await chain.first.whenAborted(callNumber)).aborted).toBe(true);
    expect(answer.headers.get('x-service-proof')).toBe(certificates[1]!.id);
    expect(certificates).toMatchObject([
      { egress: FIRST, response: { finishReason: 'error' } },
      { egress: SECOND, response: { finishReason: 'stop' } },
    ]);
    // The reported overhead excludes the time spent waiting for providers, here at least
    // `PROVIDER_TIMEOUT_MS`.
    const overheadMs = Number(answer.headers.get('x-service-overhead-ms'));
    expect(overheadMs).toBeLessThan(tookMs - PROVIDER_TIMEOUT_MS + CLOCK_TOLERANCE_MS);
  });

  it.each<[string, string, object, (text: string) => string[]]>([
    ['chat completions', CHAT, STREAM, (text) => checkChatStream(text)],
    ['messages', MESSAGES, { ...MESSAGE_PING, model: 'chain', stream: true }, checkMessageStream],
  ])('produces a valid stream of %s from any target', async (_name, path, body, check) => {
    for (const targets of [
      [FIRST, SECOND],
      [SECOND, FIRST],
    ]) {
      await chain.setTargets(...targets);
      const [firstTarget] = targets;
      (firstTarget === FIRST ? chain.first : chain.second).script(failWith(500));
      const { status, text } = await chain.client.send(path, { body });
      expect([status, check(text)]).toEqual([200, []]);
    }
  });

  it.each<[string, Script, Script]>([
    ['is cut', answerWith({}, { cutAfter: 2 }), answerMessageWith({}, { cutAfter: 4 })],
    ['ends early', answerWith({}, { sendDone: false }), answerMessageWith({}, { cutAfter: 6 })],
  ])(
    'does not switch targets after content was sent, also if the stream %s',
    async (_name, first, second) => {
      for (const [targets, provider, script] of [
        [[FIRST, SECOND], chain.first, first],
        [[SECOND, FIRST], chain.second, second],
      ] as const) {
        await chain.setTargets(...targets);
        provider.script(script);
        const [[answer, certificates], counts] = await chain.callAndCountRequests(() =>
          chain.callAndListCertificates(() => chain.client.complete(STREAM)),
        );
        expect([answer.status, counts[0] + counts[1]]).toEqual([200, 1]);
        expect(answer.text).toContain('upstream_error');
        expect(answer.text).not.toContain('[DONE]');
        expect(certificates).toMatchObject([{ response: { finishReason: 'error' } }]);
      }
    },
  );
});
