import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyResponse } from '@witan/proof';
import {
  cutBeforeHeaders,
  cutMidBody,
  failMessageWith,
  failWithHtml,
  respondWith,
  streamMessageEvents,
  toMessage,
  toMessageError,
  toMessageEvents,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { checkMessageStream } from './conformance/check-message-stream.ts';
import { checkSchema } from './conformance/check-schema.ts';
import { MESSAGE_ERROR } from './conformance/message-schemas.ts';
import { parseTranscript } from './conformance/parse-transcript.ts';
import { countReservations } from './count-reservations.ts';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { MESSAGE_PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAM = { ...MESSAGE_PING, stream: true };
const EVENTS = toMessageEvents();
/** `message_start` and a ping: a stream that has begun but has no content yet. */
const PRELUDE = EVENTS.slice(0, 2);

/** Failures of the provider for which the gateway sends its own error to the client. */
const REPLACED_FAILURES: [string, Script][] = [
  ['an HTML page', failWithHtml()],
  ['an HTML page with status 200', respondWith({ body: '<html></html>' })],
  ['rejected credentials (401)', failMessageWith(401)],
  ['rejected credentials (403)', failMessageWith(403)],
  ['a redirect', respondWith({ status: 307, headers: { location: '/elsewhere' }, body: {} })],
  ['no body', respondWith({ status: 529, body: '' })],
  ['a cut before headers', cutBeforeHeaders()],
  ['a cut inside the body', cutMidBody(toMessage())],
  ['an empty stream', streamMessageEvents([])],
  ['a stream cut before content', streamMessageEvents(EVENTS, { cutAfter: 2 })],
  ['an error alone in a stream', streamMessageEvents([toMessageError(529)])],
  ['an error before content', streamMessageEvents([...PRELUDE, toMessageError(529)])],
];

/** Statuses for which the gateway relays the provider's error unchanged. */
const RELAYED_STATUSES = [400, 404, 413, 422, 429, 500, 503, 529];

describe.each(TRANSPORTS)('a failing provider of messages, services over %s', (transport) => {
  let fixture: Fixture;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /** Makes one call with this script; expects one certificate with finish reason `error`. */
  const expectCertifiedError = async (
    script: Script,
    body: object = MESSAGE_PING,
  ): Promise<Answer> => {
    const before = (await fixture.client.listCertificates()).length;
    fixture.provider.script(script);
    const answer = await fixture.client.message(body);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.response.finishReason).toBe('error');
    expect(payload.chainIndex).toBe(before);
    expect(await fixture.client.listCertificates()).toHaveLength(before + 1);
    return answer;
  };

  describe.each([
    ['plain', MESSAGE_PING],
    ['streamed', STREAM],
  ])('on a %s call', (_name, body) => {
    it.each(REPLACED_FAILURES)(
      'causes a certified 502 with our own message: %s',
      async (_failure, script) => {
        const answer = await expectCertifiedError(script, body);
        expect([answer.status, checkSchema(MESSAGE_ERROR, answer.json)]).toEqual([502, []]);
        expect(answer.json).toMatchObject({
          error: { type: 'api_error' },
          request_id: answer.headers.get('request-id'),
        });
        expectDocumented(answer, 'POST /v1/messages');
      },
    );

    it.each(RELAYED_STATUSES)(
      'has its error relayed byte for byte and certified: %s',
      async (status) => {
        const headers = { 'retry-after': '7', 'x-should-retry': 'true', 'x-other': 'no' };
        const bytes = ` ${JSON.stringify({ ...toMessageError(status), x_big: 1 }).replace('1}', '12345678901234567890}')}\n`;
        const answer = await expectCertifiedError(
          respondWith({ status, headers, body: bytes }),
          body,
        );
        expect([answer.status, answer.text]).toEqual([status, bytes]);
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          'retry-after': '7',
          'x-should-retry': 'true',
          'request-id': answer.headers.get('x-request-id'),
        });
        expect(answer.headers.has('x-other')).toBe(false);
        expectDocumented(answer, 'POST /v1/messages');
      },
    );
  });

  describe('after the stream has started', () => {
    it.each<[string, Script]>([
      ['cuts the connection', streamMessageEvents(EVENTS, { cutAfter: 4 })],
      ['ends without message_stop', streamMessageEvents(EVENTS.slice(0, -1))],
      ['ends inside a block', streamMessageEvents(EVENTS.slice(0, 5))],
    ])(
      '%s: the last event is an error, and the delivered part is certified',
      async (_name, script) => {
        const answer = await expectCertifiedError(script, STREAM);
        expect([answer.status, checkMessageStream(answer.text)]).toEqual([200, []]);
        expect(answer.text).toContain('"text":"po"');
        expect(answer.text).not.toContain('message_stop');
        const last = parseTranscript(answer.text).frames.at(-1)!;
        expect([last.event, checkSchema(MESSAGE_ERROR, last.value)]).toEqual(['error', []]);
        expect(last.value).toMatchObject({
          error: { type: 'api_error' },
          request_id: answer.headers.get('request-id'),
        });
        verifyResponse((await fixture.client.certificateOf(answer)).payload, answer.bytes);
      },
    );

    it('has its own error event relayed as the last event', async () => {
      const error = { ...toMessageError(529), x_more: [1] };
      const events = [...EVENTS.slice(0, 4), error];
      const sent = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`);
      const answer = await expectCertifiedError(
        streamMessageEvents([...events, ...EVENTS.slice(4)]),
        STREAM,
      );
      expect(answer.text).toBe(sent.join(''));
      verifyResponse((await fixture.client.certificateOf(answer)).payload, answer.bytes);
    });
  });

  it('leaves no open reservation', async () => {
    expect(await countReservations(fixture.system, 'held')).toBe(0);
  });
});
