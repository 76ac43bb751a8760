import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyResponse } from '@witan/proof';
import { streamFrames, streamMessageEvents, toMessage } from '@witan/testing';
import type { MessageEvent } from '@witan/testing';
import { CHAT_CHUNK } from './conformance/chat-schemas.ts';
import { checkChatStream } from './conformance/check-chat-stream.ts';
import { checkMessageStream } from './conformance/check-message-stream.ts';
import { checkSchema } from './conformance/check-schema.ts';
import { MESSAGE_EVENT } from './conformance/message-schemas.ts';
import { parseTranscript } from './conformance/parse-transcript.ts';
import { MESSAGE_PING, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { readChunks, readMessage } from './read-stream.ts';
import type { Chunk, StreamContent } from './read-stream.ts';

const FROM_CHAT = { ...PING, model: 'claude-test', stream: true };
const FROM_MESSAGES = { ...MESSAGE_PING, model: 'gpt-test', stream: true };

const chunk = (delta: object, finishReason: string | null = null, more: object = {}): object => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
  ...more,
});
const callStart = (index: number, id: string, name: string, text: string): object => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
});
const callPiece = (index: number, text: string): object => ({
  tool_calls: [{ index, function: { arguments: text } }],
});
const USAGE = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

const toContent = (text: string, end: string, ...calls: StreamContent['calls']): StreamContent => ({
  text,
  calls,
  end,
});

/**
 * Unusual streams that real chat-completions runtimes send, and the content that clients must get.
 */
const CHAT_STREAMS: [string, object[], StreamContent][] = [
  [
    'arguments all in the first piece',
    [chunk(callStart(0, 'c0', 'add', '{"a":1}')), chunk({}, 'tool_calls')],
    toContent('', 'tool_use', ['add', '{"a":1}']),
  ],
  [
    'pieces of two calls that alternate',
    [
      chunk(callStart(0, 'c0', 'add', '')),
      chunk(callStart(1, 'c1', 'sub', '')),
      chunk(callPiece(0, '{"a"')),
      chunk(callPiece(1, '{"b"')),
      chunk(callPiece(0, ':1}')),
      chunk(callPiece(1, ':2}')),
      chunk({}, 'tool_calls'),
    ],
    toContent('', 'tool_use', ['add', '{"a":1}'], ['sub', '{"b":2}']),
  ],
  [
    'both calls in one chunk',
    [
      chunk({
        tool_calls: [
          { index: 0, id: 'c0', type: 'function', function: { name: 'add', arguments: '{}' } },
          { index: 1, id: 'c1', type: 'function', function: { name: 'sub', arguments: '{}' } },
        ],
      }),
      chunk({}, 'tool_calls'),
    ],
    toContent('', 'tool_use', ['add', '{}'], ['sub', '{}']),
  ],
  [
    'id and name in every piece',
    [
      chunk(callStart(0, 'c0', 'add', '{"a"')),
      chunk(callStart(0, 'c0', 'add', ':1}')),
      chunk({}, 'tool_calls'),
    ],
    toContent('', 'tool_use', ['add', '{"a":1}']),
  ],
  [
    'calls that end with stop',
    [chunk(callStart(0, 'c0', 'add', '{}')), chunk({}, 'stop')],
    toContent('', 'tool_use', ['add', '{}']),
  ],
  [
    'empty lists of calls beside the text',
    [
      chunk({ role: 'assistant', content: null, tool_calls: [] }),
      chunk({ content: 'Hi', tool_calls: [] }),
      chunk({ content: '', tool_calls: null }, 'stop'),
    ],
    toContent('Hi', 'end_turn'),
  ],
  [
    'the role, a name and usage in every chunk',
    [
      chunk({ role: 'assistant', content: 'H' }, null, { usage: USAGE }),
      chunk({ role: 'assistant', content: 'i' }, null, { usage: USAGE }),
      chunk({ role: 'assistant' }, 'stop', { usage: USAGE }),
    ],
    toContent('Hi', 'end_turn'),
  ],
  [
    'text after a call',
    [chunk(callStart(0, 'c0', 'add', '{}')), chunk({ content: 'Hi' }), chunk({}, 'tool_calls')],
    toContent('Hi', 'tool_use', ['add', '{}']),
  ],
  [
    'the last text in the final chunk',
    [chunk({ content: 'H' }), chunk({ content: 'i' }, 'length')],
    toContent('Hi', 'max_tokens'),
  ],
];

const messageStart: MessageEvent = {
  type: 'message_start',
  message: { ...toMessage(), content: [], stop_reason: null },
};
const ping: MessageEvent = { type: 'ping' };
const startBlock = (index: number, block: object): MessageEvent => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const deltaEvent = (index: number, type: string, piece: object): MessageEvent => ({
  type: 'content_block_delta',
  index,
  delta: { type, ...piece },
});
const stopBlock = (index: number): MessageEvent => ({ type: 'content_block_stop', index });
const endEvents = (reason: string): MessageEvent[] => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const textBlock = (value: string): object => ({ type: 'text', text: value });
const toolBlock = (id: string, name: string, input: object = {}): object => ({
  type: 'tool_use',
  id,
  name,
  input,
});

/** Unusual streams that real messages runtimes send, and the content that clients must get. */
const MESSAGE_STREAMS: [string, MessageEvent[], StreamContent][] = [
  [
    'text in the start of a block',
    [
      messageStart,
      startBlock(0, textBlock('H')),
      deltaEvent(0, 'text_delta', { text: 'i' }),
      stopBlock(0),
      ...endEvents('end_turn'),
    ],
    toContent('Hi', 'stop'),
  ],
  [
    'a whole input in the start of a call',
    [
      messageStart,
      startBlock(0, toolBlock('t0', 'add', { a: 1 })),
      stopBlock(0),
      ...endEvents('tool_use'),
    ],
    toContent('', 'tool_calls', ['add', '{"a":1}']),
  ],
  [
    'call blocks with gaps between their indexes, and pings',
    [
      messageStart,
      ping,
      startBlock(3, toolBlock('t0', 'add')),
      ping,
      deltaEvent(3, 'input_json_delta', { partial_json: '{}' }),
      stopBlock(3),
      startBlock(7, toolBlock('t1', 'sub')),
      stopBlock(7),
      ...endEvents('tool_use'),
    ],
    toContent('', 'tool_calls', ['add', '{}'], ['sub', '{}']),
  ],
  [
    'unknown events and deltas',
    [
      messageStart,
      { type: 'x_event', x: 1 },
      startBlock(0, textBlock('')),
      deltaEvent(0, 'x_delta', { x: 1 }),
      deltaEvent(0, 'text_delta', { text: 'Hi' }),
      deltaEvent(0, 'citations_delta', { citation: { type: 'x' } }),
      stopBlock(0),
      ...endEvents('pause_turn'),
    ],
    toContent('Hi', 'stop'),
  ],
  ['no block at all', [messageStart, ...endEvents('end_turn')], toContent('', 'stop')],
];

describe.each(TRANSPORTS)('unusual streams across dialects, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const verify = async (answer: Answer): Promise<void> => {
    expect(answer.status).toBe(200);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.response.finishReason).not.toBe('error');
    verifyResponse(payload, answer.bytes);
  };

  it.each(CHAT_STREAMS)('become a valid message stream: %s', async (_name, chunks, expected) => {
    fixture.provider.script(streamFrames(chunks));
    const answer = await fixture.client.message(FROM_MESSAGES);
    await verify(answer);
    expect(checkMessageStream(answer.text)).toEqual([]);
    const events = parseTranscript(answer.text).frames.map(({ value }) => value);
    expect(events.flatMap((event) => checkSchema(MESSAGE_EVENT, event))).toEqual([]);
    expect(readMessage(events as MessageEvent[])).toEqual(expected);
  });

  it.each(MESSAGE_STREAMS)('become a valid chat stream: %s', async (_name, events, expected) => {
    fixture.provider.script(streamMessageEvents(events));
    const answer = await fixture.client.complete(FROM_CHAT);
    await verify(answer);
    expect(checkChatStream(answer.text)).toEqual([]);
    const chunks = parseTranscript(answer.text).frames.flatMap(({ value }) => value ?? []);
    expect(chunks.flatMap((one) => checkSchema(CHAT_CHUNK, one))).toEqual([]);
    expect(readChunks(chunks as unknown as Chunk[])).toEqual(expected);
  });
});
