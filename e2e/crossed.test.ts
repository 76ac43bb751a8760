import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyRequest, verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { answerMessageWith, answerWith } from '@witan/testing';
import type { ChatAnswer, MessageAnswer, Script } from '@witan/testing';
import { CHAT_CHUNK, CHAT_COMPLETION } from './conformance/chat-schemas.ts';
import { checkChatStream } from './conformance/check-chat-stream.ts';
import { checkMessageStream } from './conformance/check-message-stream.ts';
import { checkSchema } from './conformance/check-schema.ts';
import { MESSAGE, MESSAGE_EVENT } from './conformance/message-schemas.ts';
import { parseTranscript } from './conformance/parse-transcript.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING, readAnswer } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

/** Requests in one dialect for a model whose provider uses the other dialect. */
const FROM_CHAT = { ...PING, model: 'claude-test' };
const FROM_MESSAGES = { ...MESSAGE_PING, model: 'gpt-test' };

const usage = { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 5 };

/** Answers of a messages provider, and what a chat-completions client must get. */
const MESSAGE_ANSWERS: [string, MessageAnswer, object][] = [
  ['text', { content: ['He', 'llo ', '🦊'] }, { content: 'Hello 🦊' }],
  ['empty text', { content: '' }, { content: '' }],
  [
    'thinking before text',
    {
      blocks: [
        { type: 'thinking', thinking: ['Let me', ' see.'], signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        { type: 'text', text: 'Seen.' },
      ],
      usage,
    },
    { reasoning_content: 'Let me see.', content: 'Seen.' },
  ],
  [
    'parallel calls, one without arguments',
    {
      blocks: [
        { type: 'text', text: 'Calling.' },
        { type: 'tool_use', id: 'toolu_a', name: 'add', input: ['{"a":1', '.5}'] },
        { type: 'tool_use', id: 'toolu_b', name: 'now', input: '' },
      ],
    },
    {
      content: 'Calling.',
      tool_calls: [
        expect.objectContaining({ id: 'toolu_a' }),
        expect.objectContaining({ id: 'toolu_b', function: { name: 'now', arguments: '{}' } }),
      ],
    },
  ],
  ['truncated text', { stopReason: 'max_tokens' }, { content: 'pong' }],
  ['a refusal', { content: 'No.', stopReason: 'refusal' }, { content: 'No.' }],
];

const toolCalls = [
  { id: 'call_a', name: 'add', arguments: '{"a": 1.50}' },
  { id: 'call_b', name: 'now', arguments: '{}' },
];

/** Answers of a chat-completions provider, and what a messages client must get. */
const CHAT_ANSWERS: [string, ChatAnswer, object][] = [
  ['text', { content: ['He', 'llo ', '🦊'] }, { content: [{ type: 'text', text: 'Hello 🦊' }] }],
  ['empty text', { content: '' }, { content: [], stop_reason: 'end_turn' }],
  [
    'parallel calls, one without arguments',
    { toolCalls },
    {
      content: [
        { type: 'tool_use', id: 'call_a', name: 'add', input: { a: 1.5 } },
        { type: 'tool_use', id: 'call_b', name: 'now', input: {} },
      ],
      stop_reason: 'tool_use',
    },
  ],
  ['truncated text', { finishReason: 'length' }, { stop_reason: 'max_tokens' }],
  ['filtered text', { finishReason: 'content_filter' }, { stop_reason: 'refusal' }],
];

const toStreamed = (body: object, more: object = {}): object => ({
  ...body,
  ...more,
  stream: true,
});

type CertifiedAnswer = Answer & Pick<Certificate, 'payload'>;

const framesOf = ({ text }: Answer): unknown[] =>
  parseTranscript(text).frames.flatMap(({ value }) => value ?? []);

/**
 * Expects the certificates of a streamed and of a plain call to contain the same commitment, usage
 * and finish reason.
 */
const expectSameResponse = ({ payload }: CertifiedAnswer, plain: CertifiedAnswer): void => {
  expect(payload.response).toEqual(plain.payload.response);
};

describe.each(TRANSPORTS)('calls across dialects, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Makes one call and verifies its certificate against the request, the response and the provider
   * request. Returns the response and the certificate's payload.
   */
  const callAcrossDialects = async (
    path: string,
    body: object,
    script: Script,
  ): Promise<CertifiedAnswer> => {
    fixture.provider.script(script);
    const answer = await fixture.client.send(path, { body });
    const { payload } = await fixture.client.certificateOf(answer);
    expect(answer.status).toBe(200);
    verifyRequest(payload, JSON.stringify(body));
    verifyResponse(payload, answer.bytes);
    const request = fixture.provider.requests.at(-1)!;
    expect(request.path).toBe(path === CHAT ? MESSAGES : CHAT);
    expect(payload.egress.sha256).toBe(hash('sha256', request.body, 'hex'));
    return { ...answer, payload };
  };

  it.each(MESSAGE_ANSWERS)(
    'return to a client of chat completions: %s',
    async (_name, providerAnswer, message) => {
      const answer = await callAcrossDialects(CHAT, FROM_CHAT, answerMessageWith(providerAnswer));
      expect(checkSchema(CHAT_COMPLETION, answer.json)).toEqual([]);
      expect(answer.json).toMatchObject({ model: 'claude-test', choices: [{ message }] });
      for (const includesUsage of [false, true]) {
        const body = toStreamed(FROM_CHAT, { stream_options: { include_usage: includesUsage } });
        const stream = await callAcrossDialects(CHAT, body, answerMessageWith(providerAnswer));
        expect(checkChatStream(stream.text, { usage: includesUsage })).toEqual([]);
        expect(framesOf(stream).flatMap((chunk) => checkSchema(CHAT_CHUNK, chunk))).toEqual([]);
        expectSameResponse(stream, answer);
      }
    },
  );

  it.each(CHAT_ANSWERS)(
    'return to a client of messages: %s',
    async (_name, providerAnswer, message) => {
      const answer = await callAcrossDialects(MESSAGES, FROM_MESSAGES, answerWith(providerAnswer));
      expect(checkSchema(MESSAGE, answer.json)).toEqual([]);
      expect(answer.json).toMatchObject({ model: 'gpt-test', ...message });
      const stream = await callAcrossDialects(
        MESSAGES,
        toStreamed(FROM_MESSAGES),
        answerWith(providerAnswer),
      );
      expect(checkMessageStream(stream.text)).toEqual([]);
      expect(framesOf(stream).flatMap((event) => checkSchema(MESSAGE_EVENT, event))).toEqual([]);
      expectSameResponse(stream, answer);
    },
  );

  it('count cached tokens once, in both directions', async () => {
    const chat = await callAcrossDialects(CHAT, FROM_CHAT, answerMessageWith({ usage }));
    expect(chat.json).toMatchObject({
      usage: {
        prompt_tokens: 16,
        completion_tokens: 7,
        total_tokens: 23,
        prompt_tokens_details: { cached_tokens: 5 },
      },
    });
    const reported = {
      prompt_tokens: 16,
      completion_tokens: 7,
      total_tokens: 23,
      prompt_tokens_details: { cached_tokens: 5 },
    };
    const message = await callAcrossDialects(
      MESSAGES,
      FROM_MESSAGES,
      answerWith({ usage: reported }),
    );
    expect(message.json).toMatchObject({ usage });
  });

  it('name the end of a message, and convert a plain response to the requested form', async () => {
    fixture.provider.script(answerMessageWith({ stopSequence: 'END' }));
    const plain = await fixture.client.complete({ ...FROM_CHAT, stop: 'END' });
    expect(plain.json).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(fixture.provider.requests.at(-1)!.parsed).toMatchObject({ stop_sequences: ['END'] });
    // Simulates a provider that ignores `stream: true` and sends a plain response.
    fixture.provider.script(async (exchange) => {
      Object.assign(exchange.request, { parsed: {} });
      await answerWith()(exchange);
    });
    const stream = await readAnswer(
      await fixture.client.open(MESSAGES, { body: toStreamed(FROM_MESSAGES) }),
    );
    expect(checkMessageStream(stream.text)).toEqual([]);
    expect(stream.text).toContain('"text":"pong"');
  });
});
