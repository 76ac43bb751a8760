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
const CHAT_ERRORS: [number, string, string | null][] = [
  [400, 'invalid_request_error', null],
  [404, 'invalid_request_error', null],
  [413, 'invalid_request_error', null],
  [429, 'rate_limit_error', 'rate_limit_exceeded'],
  [500, 'server_error', null],
  [529, 'server_error', 'overloaded'],
];

/** Status of a provider of chat completions, and type of the error that a messages client gets. */
const MESSAGE_ERRORS: [number, string][] = [
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

type ClientCase = {
  name: string;
  path: string;
  body: object;
  schema: Schema;
  /** Provider failures whose content the gateway cannot use. */
  unusable: [string, Script][];
  upstreamError: object;
  /** Ways in which a provider's stream breaks off after its start. */
  streamCuts: [string, Script][];
  firstContent: string;
  endMarker: string;
  check: (text: string) => string[];
};

const UNUSABLE_RESPONSES: [string, Script][] = [
  ['an HTML page', failWithHtml()],
  ['an HTML page with status 200', respondWith({ body: '<html></html>' })],
  ['a body of the wrong kind', respondWith({ body: { error: { message: 'in disguise' } } })],
  ['a cut before headers', cutBeforeHeaders()],
  ['a cut inside the body', cutMidBody()],
  ['an empty stream', streamFrames([], { sendDone: false })],
];

const CLIENTS: ClientCase[] = [
  {
    name: 'chat completions',
    path: CHAT,
    body: { ...PING, model: 'claude-test' },
    schema: CHAT_ERROR,
    unusable: [
      ...UNUSABLE_RESPONSES,
      ["the gateway's credentials refused (401)", failMessageWith(401)],
      ["the gateway's credentials refused (403)", failMessageWith(403)],
      ['an error before content', streamMessageEvents([EVENTS[0]!, toMessageError(529)])],
      ['a cut before content', streamMessageEvents(EVENTS, { cutAfter: 3 })],
    ],
    upstreamError: { error: { type: 'server_error', param: null, code: 'upstream_error' } },
    streamCuts: [
      ['cuts the connection', streamMessageEvents(EVENTS, { cutAfter: 4 })],
      ['ends without message_stop', streamMessageEvents(EVENTS.slice(0, -1))],
      [
        'sends an error and continues',
        streamMessageEvents([...EVENTS.slice(0, 5), toMessageError(529), ...EVENTS.slice(5)]),
      ],
    ],
    firstContent: '"content":"po"',
    endMarker: '[DONE]',
    check: (text) => checkChatStream(text),
  },
  {
    name: 'messages',
    path: MESSAGES,
    body: { ...MESSAGE_PING, model: 'gpt-test' },
    schema: MESSAGE_ERROR,
    unusable: [
      ...UNUSABLE_RESPONSES,
      ["the gateway's credentials refused (401)", failWith(401)],
      ["the gateway's credentials refused (403)", failWith(403)],
      ['an error before content', streamFrames([CHUNKS[0]!, PROVIDER_ERROR], { sendDone: false })],
      ['a cut before content', streamFrames(CHUNKS, { cutAfter: 1 })],
    ],
    upstreamError: { type: 'error', error: { type: 'api_error' } },
    streamCuts: [
      ['cuts the connection', answerWith({}, { cutAfter: 2 })],
      ['ends without [DONE]', answerWith({}, { sendDone: false })],
      [
        'sends an error and continues',
        streamFrames([...CHUNKS.slice(0, 3), PROVIDER_ERROR, ...CHUNKS.slice(3)]),
      ],
    ],
    firstContent: '"text":"po"',
    endMarker: 'message_stop',
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
  const callAndFail = async (path: string, body: object, script: Script): Promise<Answer> => {
    const before = (await fixture.client.listCertificates()).length;
    const callsBefore = fixture.calls().length;
    fixture.provider.script(script);
    const answer = await fixture.client.send(path, { body });
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.response.finishReason).toBe('error');
    expect(payload.chainIndex).toBe(before);
    expect(await fixture.client.listCertificates()).toHaveLength(before + 1);
    expect(fixture.calls()).toHaveLength(callsBefore + 1);
    return answer;
  };
  const failInBothForms = async ({ path, body }: ClientCase, script: Script): Promise<Answer[]> => [
    await callAndFail(path, body, script),
    await callAndFail(path, { ...body, stream: true }, script),
  ];

  it.each(CHAT_ERRORS)(
    'keep status %s in the shape of chat completions',
    async (status, type, code) => {
      const script = failMessageWith(status, { headers: HEADERS, message: 'In its words.' });
      for (const answer of await failInBothForms(CLIENTS[0]!, script)) {
        const error = { message: 'In its words.', type, param: null, code };
        expect([answer.status, answer.json]).toEqual([status, { error }]);
        expectForwardedHeaders(answer, 'req_scripted');
      }
    },
  );

  it.each(MESSAGE_ERRORS)('keep status %s in the shape of messages', async (status, type) => {
    const headers = { ...HEADERS, 'x-request-id': 'req_upstream' };
    for (const answer of await failInBothForms(CLIENTS[1]!, failWith(status, { headers }))) {
      const error = { type, message: `Scripted failure ${status}.` };
      const request_id = answer.headers.get('request-id');
      expect([answer.status, answer.json]).toEqual([status, { type: 'error', error, request_id }]);
      expectForwardedHeaders(answer, 'req_upstream');
    }
  });

  describe.each(CLIENTS)('for a client of $name', (client) => {
    it.each(client.unusable)(
      "are a certified 502 with the gateway's own message: %s",
      async (_failure, script) => {
        for (const { status, json } of await failInBothForms(client, script)) {
          expect([status, checkSchema(client.schema, json)]).toEqual([502, []]);
          expect(json).toMatchObject(client.upstreamError);
        }
      },
    );

    it.each(client.streamCuts)('never look complete when the provider %s', async (_cut, script) => {
      const answer = await callAndFail(client.path, { ...client.body, stream: true }, script);
      expect([answer.status, client.check(answer.text)]).toEqual([200, []]);
      expect(answer.text).toContain(client.firstContent);
      expect(answer.text).not.toContain(client.endMarker);
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

const expectForwardedHeaders = ({ headers }: Answer, upstreamId: string): void => {
  expect(Object.fromEntries(headers)).toMatchObject({
    'retry-after': '7',
    'x-should-retry': 'true',
    'x-upstream-request-id': upstreamId,
    'content-type': expect.stringMatching(/^application\/json/),
  });
  expect(headers.has('x-other')).toBe(false);
};
