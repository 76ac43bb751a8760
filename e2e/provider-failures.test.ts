import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import {
  answerWith,
  cutBeforeHeaders,
  cutMidBody,
  failWith,
  failWithHtml,
  openClosedPort,
  respondWith,
  streamFrames,
  toChatChunks,
} from '@witan/testing';
import type { ClosedPort, Script } from '@witan/testing';
import { countReservations } from './count-reservations.ts';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const LOCAL_MODEL = 'llama-down';

const upstreamError = {
  error: { message: expect.any(String), type: 'server_error', param: null, code: 'upstream_error' },
};

/** Failures of the provider for which the gateway sends its own error to the client. */
const REPLACED_FAILURES: [string, Script][] = [
  ['an HTML page', failWithHtml()],
  ['an HTML page with status 200', respondWith({ body: '<html></html>' })],
  ['rejected credentials (401)', failWith(401)],
  ['rejected credentials (403)', failWith(403)],
  ['a redirect', respondWith({ status: 307, headers: { location: '/elsewhere' }, body: {} })],
  ['no body', respondWith({ status: 500, body: '' })],
  ['a cut before headers', cutBeforeHeaders()],
  ['a cut inside the body', cutMidBody()],
  ['an empty stream', streamFrames([], { sendDone: false })],
  ['a stream cut before content', streamFrames(toChatChunks(), { cutAfter: 1 })],
  ['an error before content', streamFrames([{ error: { message: 'x' } }], { sendDone: false })],
];

/** Statuses for which the gateway relays the provider's error unchanged. */
const RELAYED_STATUSES: [number, Script][] = [400, 404, 413, 422, 429, 500, 503, 529].map(
  (status) => [
    status,
    failWith(status, { code: 'its_own_code', headers: { 'retry-after': '7', 'x-other': 'no' } }),
  ],
);

const lastFrameOf = ({ text }: Answer): unknown =>
  JSON.parse(
    text
      .trimEnd()
      .split('\n\n')
      .at(-1)!
      .replace(/^data: /, ''),
  );

describe.each(TRANSPORTS)('a failing provider, services over %s', (transport) => {
  let closedPort: ClosedPort;
  let fixture: Fixture;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    closedPort = await openClosedPort();
    const env = { LOCAL_BASE_URL: `http://127.0.0.1:${closedPort.port}/v1`, LOCAL_MODEL };
    fixture = await openFixture({ transport, env });
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await closedPort[Symbol.asyncDispose]();
  });

  const certificateOf = async ({ headers }: Answer): Promise<Certificate> => {
    const { json } = await fixture.client.send(`/v1/proofs/${headers.get('x-service-proof')}`);
    return json as Certificate;
  };

  /** Makes one call with this script; expects one certificate with finish reason `error`. */
  const expectCertifiedError = async (script: Script, body: object = PING): Promise<Answer> => {
    const before = (await fixture.client.listCertificates()).length;
    fixture.provider.script(script);
    const answer = await fixture.client.complete(body);
    const { payload } = await certificateOf(answer);
    expect(payload.response.finishReason).toBe('error');
    expect(payload.chainIndex).toBe(before);
    expect(await fixture.client.listCertificates()).toHaveLength(before + 1);
    return answer;
  };

  describe.each([
    ['plain', PING],
    ['streamed', { ...PING, stream: true }],
  ])('on a %s call', (_name, body) => {
    it.each(REPLACED_FAILURES)(
      'causes a certified 502 with our own message: %s',
      async (_failure, script) => {
        const answer = await expectCertifiedError(script, body);
        expect([answer.status, answer.json]).toEqual([502, upstreamError]);
        expectDocumented(answer, 'POST /v1/chat/completions');
      },
    );

    it.each(RELAYED_STATUSES)(
      'has its error relayed byte for byte and certified: %s',
      async (status, script) => {
        const answer = await expectCertifiedError(script, body);
        const error = {
          message: `Scripted failure ${status}.`,
          type: expect.any(String),
          param: null,
          code: 'its_own_code',
        };
        expect(answer.status).toBe(status);
        expect(answer.json).toEqual({ error });
        expect(answer.headers.get('retry-after')).toBe('7');
        expect(answer.headers.has('x-other')).toBe(false);
        expectDocumented(answer, 'POST /v1/chat/completions');
      },
    );

    it('has the exact bytes of its error relayed', async () => {
      const bytes = `{ "error": {"message":"caf\\u00e9", "n": 12345678901234567890} }\n`;
      expect(
        (await expectCertifiedError(respondWith({ status: 400, body: bytes }), body)).text,
      ).toBe(bytes);
    });

    it('causes a 502 without a certificate if it cannot be reached', async () => {
      const before = await fixture.client.listCertificates();
      const answer = await fixture.client.complete({ ...body, model: LOCAL_MODEL });
      expect([answer.status, answer.json]).toEqual([502, upstreamError]);
      expect(answer.headers.has('x-service-proof')).toBe(false);
      expect(await fixture.client.listCertificates()).toEqual(before);
      expect(await countReservations(fixture.system, 'held')).toBe(0);
      expect(await countReservations(fixture.system, 'released')).toBeGreaterThan(0);
    });
  });

  it('has an answer without choices relayed, certified as an error', async () => {
    const answer = await expectCertifiedError(
      respondWith({ body: { error: { message: 'in disguise' } } }),
    );
    expect([answer.status, answer.json]).toEqual([200, { error: { message: 'in disguise' } }]);
  });

  describe('after the stream has started', () => {
    const STREAM = { ...PING, stream: true };

    it.each<[string, Script]>([
      ['cuts the connection', answerWith({}, { cutAfter: 2 })],
      ['ends without [DONE]', answerWith({}, { sendDone: false })],
    ])(
      '%s: the last frame is an error, and the delivered part is certified',
      async (_n, script) => {
        const answer = await expectCertifiedError(script, STREAM);
        expect(answer.status).toBe(200);
        expect(answer.text).toContain('"content":"po"');
        expect(answer.text).not.toContain('[DONE]');
        expect(lastFrameOf(answer)).toEqual(upstreamError);
        verifyResponse((await certificateOf(answer)).payload, answer.bytes);
      },
    );

    it('has its own error frame relayed as the last frame', async () => {
      const error = { error: { message: 'overloaded', code: 529, x_more: [1] } };
      const content = { choices: [{ index: 0, delta: { content: 'begun' } }] };
      const answer = await expectCertifiedError(streamFrames([content, error]), STREAM);
      expect(answer.text).toBe(
        `data: ${JSON.stringify(content)}\n\ndata: ${JSON.stringify(error)}\n\n`,
      );
      verifyResponse((await certificateOf(answer)).payload, answer.bytes);
    });
  });

  it('leaves no open reservation', async () => {
    expect(await countReservations(fixture.system, 'held')).toBe(0);
  });
});
