import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyResponse } from '@witan/proof';
import {
  answerWith,
  cutBeforeHeaders,
  cutMidBody,
  failMessageWith,
  failWith,
  failWithHtml,
  respondWith,
  streamFrames,
  streamMessageEvents,
  toChatChunks,
  toMessageError,
  toMessageEvents,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { CHAT_ERROR } from './conformance/chat-schemas.ts';
import { checkChatStream } from './conformance/check-chat-stream.ts';
import { checkMessageStream } from './conformance/check-message-stream.ts';
import { checkSchema } from './conformance/check-schema.ts';
import { MESSAGE_ERROR } from './conformance/message-schemas.ts';
import { parseTranscript } from './conformance/parse-transcript.ts';
import type { Schema } from './conformance/schema.ts';
import { countReservations } from './count-reservations.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const HEADERS = { 'retry-after': '7', 'x-should-retry': 'true', 'x-other': 'no' };

/**
 * Status of a provider of messages, and type and code of the error that a chat-completions client
 * gets.
 */
const TO_CHAT: [number, string, string | null][] = [
  [400, 'invalid_request_error', null],
  [404, 'invalid_request_error', null],
  [413, 'invalid_request_error', null],
  [429, 'rate_limit_error', 'rate_limit_exceeded'],
  [500, 'server_error', null],
  [529, 'server_error', 'overloaded'],
];

/** Status of a provider of chat completions, and type of the error that a messages client gets. */
const TO_MESSAGES: [number, string][] = [
  [400, 'invalid_request_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [503, 'overloaded_error'],
  [529, 'overloaded_error'],
];

const EVENTS = toMessageEvents();
const CHUNKS = toChatChunks();
const PROVIDER_ERROR = { error: { message: 'x', type: 'server_error', param: null, code: null } };

type Client = {
  name: string;
  path: string;
  body: object;
  schema: Schema;
  /** Provider failures whose content the gateway cannot use. */
  broken: [string, Script][];
  upstreamError: object;
  /** Ways in which a provider's stream breaks off after its start. */
  cuts: [string, Script][];
  begun: string;
  end: string;
  check: (text: string) => string[];
};

const ALWAYS_BROKEN: [string, Script][] = [
  ['an HTML page', failWithHtml()],
  ['an HTML page with status 200', respondWith({ body: '<html></html>' })],
  ['a body of the wrong kind', respondWith({ body: { error: { message: 'in disguise' } } })],
  ['a cut before headers', cutBeforeHeaders()],
  ['a cut inside the body', cutMidBody()],
  ['an empty stream', streamFrames([], { sendDone: false })],
];

const CLIENTS: Client[] = [
  {
    name: 'chat completions',
    path: CHAT,
    body: { ...PING, model: 'claude-test' },
    schema: CHAT_ERROR,
    broken: [
      ...ALWAYS_BROKEN,
      ['our credentials refused (401)', failMessageWith(401)],
      ['our credentials refused (403)', failMessageWith(403)],
      ['an error before content', streamMessageEvents([EVENTS[0]!, toMessageError(529)])],
      ['a cut before content', streamMessageEvents(EVENTS, { cutAfter: 3 })],
    ],
    upstreamError: { error: { type: 'server_error', param: null, code: 'upstream_error' } },
    cuts: [
      ['cuts the connection', streamMessageEvents(EVENTS, { cutAfter: 4 })],
      ['ends without message_stop', streamMessageEvents(EVENTS.slice(0, -1))],
      [
        'says an error and goes on',
        streamMessageEvents([...EVENTS.slice(0, 5), toMessageError(529), ...EVENTS.slice(5)]),
      ],
    ],
    begun: '"content":"po"',
    end: '[DONE]',
    check: (text) => checkChatStream(text),
  },
  {
    name: 'messages',
    path: MESSAGES,
    body: { ...MESSAGE_PING, model: 'gpt-test' },
    schema: MESSAGE_ERROR,
    broken: [
      ...ALWAYS_BROKEN,
      ['our credentials refused (401)', failWith(401)],
      ['our credentials refused (403)', failWith(403)],
      ['an error before content', streamFrames([CHUNKS[0]!, PROVIDER_ERROR], { sendDone: false })],
      ['a cut before content', streamFrames(CHUNKS, { cutAfter: 1 })],
    ],
    upstreamError: { type: 'error', error: { type: 'api_error' } },
    cuts: [
      ['cuts the connection', answerWith({}, { cutAfter: 2 })],
      ['ends without [DONE]', answerWith({}, { sendDone: false })],
      [
        'says an error and goes on',
        streamFrames([...CHUNKS.slice(0, 3), PROVIDER_ERROR, ...CHUNKS.slice(3)]),
      ],
    ],
    begun: '"text":"po"',
    end: 'message_stop',
    check: checkMessageStream,
  },
];

describe.each(TRANSPORTS)('failures across dialects, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Makes one call with this script; expects one provider request and one certificate with finish
   * reason `error`.
   */
  const fail = async (path: string, body: object, script: Script): Promise<Answer> => {
    const before = (await fixture.client.listCertificates()).length;
    const sent = fixture.calls().length;
    fixture.provider.script(script);
    const answer = await fixture.client.send(path, { body });
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.response.finishReason).toBe('error');
    expect(payload.chainIndex).toBe(before);
    expect(await fixture.client.listCertificates()).toHaveLength(before + 1);
    expect(fixture.calls()).toHaveLength(sent + 1);
    return answer;
  };
  const failTwice = async ({ path, body }: Client, script: Script): Promise<Answer[]> => [
    await fail(path, body, script),
    await fail(path, { ...body, stream: true }, script),
  ];

  it.each(TO_CHAT)(
    'keep status %s in the shape of chat completions',
    async (status, type, code) => {
      const script = failMessageWith(status, { headers: HEADERS, message: 'In its words.' });
      for (const answer of await failTwice(CLIENTS[0]!, script)) {
        const error = { message: 'In its words.', type, param: null, code };
        expect([answer.status, answer.json]).toEqual([status, { error }]);
        expectAdvice(answer, 'req_scripted');
      }
    },
  );

  it.each(TO_MESSAGES)('keep status %s in the shape of messages', async (status, type) => {
    const headers = { ...HEADERS, 'x-request-id': 'req_upstream' };
    for (const answer of await failTwice(CLIENTS[1]!, failWith(status, { headers }))) {
      const error = { type, message: `Scripted failure ${status}.` };
      const request_id = answer.headers.get('request-id');
      expect([answer.status, answer.json]).toEqual([status, { type: 'error', error, request_id }]);
      expectAdvice(answer, 'req_upstream');
    }
  });

  describe.each(CLIENTS)('for a client of $name', (client) => {
    it.each(client.broken)(
      'are a certified 502 with our own message: %s',
      async (_failure, script) => {
        for (const { status, json } of await failTwice(client, script)) {
          expect([status, checkSchema(client.schema, json)]).toEqual([502, []]);
          expect(json).toMatchObject(client.upstreamError);
        }
      },
    );

    it.each(client.cuts)('never look complete when the provider %s', async (_cut, script) => {
      const answer = await fail(client.path, { ...client.body, stream: true }, script);
      expect([answer.status, client.check(answer.text)]).toEqual([200, []]);
      expect(answer.text).toContain(client.begun);
      expect(answer.text).not.toContain(client.end);
      const last = parseTranscript(answer.text).frames.at(-1)!.value;
      expect(checkSchema(client.schema, last)).toEqual([]);
      expect(last).toMatchObject(client.upstreamError);
      verifyResponse((await fixture.client.certificateOf(answer)).payload, answer.bytes);
    });
  });

  it('leave no open reservation', async () => {
    expect(await countReservations(fixture.system, 'held')).toBe(0);
  });
});

const expectAdvice = ({ headers }: Answer, upstreamId: string): void => {
  expect(Object.fromEntries(headers)).toMatchObject({
    'retry-after': '7',
    'x-should-retry': 'true',
    'x-upstream-request-id': upstreamId,
    'content-type': expect.stringMatching(/^application\/json/),
  });
  expect(headers.has('x-other')).toBe(false);
};
