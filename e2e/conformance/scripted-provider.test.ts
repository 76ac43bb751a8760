import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  answerMessageWith,
  answerWith,
  countTokensWith,
  failMessageWith,
  openScriptedProvider,
  streamMessageEvents,
  toMessageError,
  toMessageEvents,
} from '@witan/testing';
import type { ChatAnswer, MessageAnswer, ScriptedProvider } from '@witan/testing';
import { CHAT_CHUNK, CHAT_COMPLETION, CHAT_MODELS } from './chat-schemas.ts';
import { checkChatStream } from './check-chat-stream.ts';
import { checkMessageStream } from './check-message-stream.ts';
import { checkSchema } from './check-schema.ts';
import {
  MESSAGE,
  MESSAGE_ERROR,
  MESSAGE_EVENT,
  MESSAGE_MODELS,
  TOKEN_COUNT,
} from './message-schemas.ts';
import { parseTranscript } from './parse-transcript.ts';

/*
 * Other tests rely on the scripted provider. This file checks it with the official clients and with
 * the checkers of this folder.
 */

const REQUEST = {
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user' as const, content: 'ping' }],
};

const MESSAGE_ANSWERS: readonly [string, MessageAnswer][] = [
  ['a pong', {}],
  ['text in pieces', { content: ['a', 'b', 'c'] }],
  [
    'every kind of block',
    {
      blocks: [
        { type: 'thinking', thinking: ['Let me ', 'see.'], signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', name: 'add', input: ['{"a"', ':1}'] },
        { type: 'tool_use', name: 'now', input: '' },
      ],
      usage: { output_tokens: 9, cache_creation_input_tokens: 4, cache_read_input_tokens: 5 },
    },
  ],
  ['a stop sequence', { stopSequence: 'END' }],
  ['a refusal', { content: '', stopReason: 'refusal' }],
];

const CHAT_ANSWERS: readonly [string, ChatAnswer][] = [
  ['a pong', {}],
  ['text in pieces', { content: ['a', 'b', 'c'] }],
  [
    'tool calls',
    {
      toolCalls: [
        { name: 'add', arguments: '{"a":1}' },
        { name: 'now', arguments: '{}' },
      ],
    },
  ],
  ['truncated text', { finishReason: 'length' }],
];

let provider: ScriptedProvider;
let client: Anthropic;

beforeEach(async () => {
  provider = await openScriptedProvider({ models: ['one', 'two'] });
  const { anthropicBaseUrl } = provider;
  client = new Anthropic({ apiKey: 'sk-scripted', baseURL: anthropicBaseUrl, maxRetries: 0 });
});

afterEach(async () => {
  await provider[Symbol.asyncDispose]();
});

const post = async (path: string, body: object): Promise<Response> =>
  fetch(`${provider.baseUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });

describe('messages of the scripted provider', () => {
  it.each(MESSAGE_ANSWERS)(
    'match the schema and the required order of events: %s',
    async (_, answer) => {
      provider.script(answerMessageWith(answer));
      provider.script(answerMessageWith(answer));
      expect(checkSchema(MESSAGE, await (await post('/messages', {})).json())).toEqual([]);
      const transcript = await (await post('/messages', { stream: true })).text();
      expect(checkMessageStream(transcript)).toEqual([]);
      const { frames } = parseTranscript(transcript);
      expect(frames.flatMap(({ value }) => checkSchema(MESSAGE_EVENT, value))).toEqual([]);
    },
  );

  it.each(MESSAGE_ANSWERS)(
    'are parsed alike by the official client, streamed and plain: %s',
    async (_, answer) => {
      provider.script(answerMessageWith(answer));
      provider.script(answerMessageWith(answer));
      const { content, stop_reason, stop_sequence, usage } = await client.messages.create(REQUEST);
      const streamed = await client.messages.stream(REQUEST).finalMessage();
      expect(streamed).toMatchObject({ content, stop_reason, stop_sequence, usage });
    },
  );

  it('fail with the error classes of the official client', async () => {
    const createMessage = async (): Promise<unknown> =>
      client.messages.create(REQUEST).catch((error: unknown) => error);
    const failures = [
      [400, Anthropic.BadRequestError],
      [401, Anthropic.AuthenticationError],
      [403, Anthropic.PermissionDeniedError],
      [404, Anthropic.NotFoundError],
      [413, Anthropic.ContentTooLargeError],
      [429, Anthropic.RateLimitError],
      [500, Anthropic.InternalServerError],
      [504, Anthropic.GatewayTimeoutError],
      [529, Anthropic.OverloadedError],
    ] as const;
    for (const [status, errorClass] of failures) {
      provider.script(failMessageWith(status, { requestId: 'req_7' }));
      const error = await createMessage();
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toMatchObject({ status, requestID: 'req_7' });
      expect(checkSchema(MESSAGE_ERROR, toMessageError(status))).toEqual([]);
    }
  });

  it('can fail in the middle of a stream', async () => {
    const events = [...toMessageEvents().slice(0, 4), toMessageError(529)];
    provider.script(streamMessageEvents(events));
    provider.script(streamMessageEvents(events));
    const transcript = await (await post('/messages', { stream: true })).text();
    expect(checkMessageStream(transcript)).toEqual([]);
    const answer = client.messages.stream(REQUEST).finalMessage();
    await expect(answer).rejects.toMatchObject({ type: 'overloaded_error' });
  });

  it('are detected as cut if the last event is missing', async () => {
    provider.script(streamMessageEvents(toMessageEvents().slice(0, -1)));
    const transcript = await (await post('/messages', { stream: true })).text();
    expect(checkMessageStream(transcript)).toHaveLength(1);
  });

  it('are valid with unknown members only where those are allowed', async () => {
    const eventExtra = { content_block_delta: { delta: { x_deep: 1 } } };
    provider.script(answerMessageWith({ eventExtra }));
    const transcript = await (await post('/messages', { stream: true })).text();
    expect(checkMessageStream(transcript)).toEqual([]);
    const values = parseTranscript(transcript).frames.map(({ value }) => value);
    expect(values.flatMap((value) => checkSchema(MESSAGE_EVENT, value))).toHaveLength(2);
    const allowUnknown = { unknown: 'allowed' } as const;
    expect(values.flatMap((value) => checkSchema(MESSAGE_EVENT, value, allowUnknown))).toEqual([]);
  });

  it('include counts and a list of models', async () => {
    provider.script(countTokensWith(42));
    const count = await client.messages.countTokens(REQUEST);
    expect(checkSchema(TOKEN_COUNT, count)).toEqual([]);
    expect(count.input_tokens).toBe(42);
    const page = await client.models.list();
    const { data, has_more, first_id, last_id } = page;
    expect(checkSchema(MESSAGE_MODELS, { data, has_more, first_id, last_id })).toEqual([]);
    expect(data.map(({ id }) => id)).toEqual(['one', 'two']);
  });
});

describe('chat answers of the scripted provider', () => {
  it.each(CHAT_ANSWERS)('match the schema and the stream rules: %s', async (_, answer) => {
    for (let calls = 0; calls < 3; calls += 1) provider.script(answerWith(answer));
    const completion: unknown = await (await post('/chat/completions', {})).json();
    expect(checkSchema(CHAT_COMPLETION, completion)).toEqual([]);
    for (const usage of [true, false]) {
      const body = { stream: true, stream_options: { include_usage: usage } };
      const transcript = await (await post('/chat/completions', body)).text();
      expect(checkChatStream(transcript, { usage })).toEqual([]);
      const { frames } = parseTranscript(transcript);
      const chunks = frames.flatMap(({ value }) => value ?? []);
      expect(chunks.flatMap((chunk) => checkSchema(CHAT_CHUNK, chunk))).toEqual([]);
      expect(chunks).toHaveLength(frames.length - 1);
    }
  });

  it('include a list of models', async () => {
    const models: unknown = await (await fetch(`${provider.baseUrl}/models`)).json();
    expect(checkSchema(CHAT_MODELS, models)).toEqual([]);
  });
});
