import { describe, expect, it } from '@jest/globals';
import { checkMessageStream } from './check-message-stream.ts';

type Event = { type?: string } & Record<string, unknown>;

const START: Event = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  },
};
const PING: Event = { type: 'ping' };
const startBlock = (index: number, content_block: object): Event => ({
  type: 'content_block_start',
  index,
  content_block,
});
const deltaEvent = (index: number, delta: object): Event => ({
  type: 'content_block_delta',
  index,
  delta,
});
const stopBlock = (index: number): Event => ({ type: 'content_block_stop', index });
const inputDelta = (index: number, partial_json: unknown): Event =>
  deltaEvent(index, { type: 'input_json_delta', partial_json });
const EMPTY_BLOCK = { type: 'text', text: '' };
const TEXT_START = startBlock(0, EMPTY_BLOCK);
const TEXT_DELTA = deltaEvent(0, { type: 'text_delta', text: 'Hi' });
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} };
const DELTA: Event = {
  type: 'message_delta',
  delta: { stop_reason: 'tool_use', stop_sequence: null },
  usage: { output_tokens: 7 },
};
const STOP: Event = { type: 'message_stop' };
const ERROR: Event = { type: 'error', error: { type: 'api_error', message: 'Gone.' } };

const toFrame = (event: Event, lineEnd = '\n'): string =>
  `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`;
const toTranscript = (...events: Event[]): string => events.map((event) => toFrame(event)).join('');
const check = (...events: Event[]): string[] => checkMessageStream(toTranscript(...events));

const withMembers = (event: Event, key: string, more: object): Event => ({
  ...event,
  [key]: { ...(event[key] as object), ...more },
});

/**
 * A valid stream with pings, thinking, redacted thinking, text, and two tool calls: one whose
 * arguments arrive in pieces and one without arguments.
 */
const VALID_EVENTS = [
  START,
  PING,
  startBlock(0, { type: 'thinking', thinking: '', signature: '' }),
  deltaEvent(0, { type: 'thinking_delta', thinking: 'Hm.' }),
  PING,
  deltaEvent(0, { type: 'signature_delta', signature: 'c2ln' }),
  stopBlock(0),
  startBlock(1, { type: 'redacted_thinking', data: 'ZGF0YQ==' }),
  stopBlock(1),
  startBlock(2, EMPTY_BLOCK),
  deltaEvent(2, { type: 'text_delta', text: 'Hi' }),
  stopBlock(2),
  startBlock(3, CALL),
  inputDelta(3, ''),
  inputDelta(3, '{"a":'),
  inputDelta(3, '1}'),
  stopBlock(3),
  startBlock(4, { ...CALL, id: 'toolu_2' }),
  stopBlock(4),
  DELTA,
  STOP,
];

describe('a valid message stream', () => {
  it.each([
    ['has blocks of every kind', toTranscript(...VALID_EVENTS)],
    ['has lines that end in CRLF', VALID_EVENTS.map((event) => toFrame(event, '\r\n')).join('')],
    [
      'has comments between frames',
      `: hello\n\n${toTranscript(...VALID_EVENTS).replaceAll('\n\n', '\n\n:\n\n')}`,
    ],
    ['has no content', toTranscript(START, DELTA, STOP)],
    ['ends in an error before message_start', toTranscript(ERROR)],
    ['ends in an error inside a block', toTranscript(START, TEXT_START, TEXT_DELTA, ERROR)],
    [
      'ends in an error inside of arguments',
      toTranscript(START, startBlock(0, CALL), inputDelta(0, '{"a'), ERROR),
    ],
  ])('%s', (_, transcript) => {
    expect(checkMessageStream(transcript)).toEqual([]);
  });
});

const CLOSING_EVENTS = [stopBlock(0), DELTA, STOP];

describe('an invalid message stream', () => {
  it.each<[string, string, string[]]>([
    [
      'another event name',
      toFrame(START).replace('message_start', 'start'),
      ['under the name "sta'],
    ],
    ['no event name', toFrame(START).replace(/^.*\n/, ''), ['under the name undefined']],
    ['data that is not JSON', 'event: ping\ndata: {"type"\n\n', ['is no JSON object']],
    ['data that is not an object', 'event: ping\ndata: [1]\n\n', ['is no JSON object']],
    ['[DONE]', 'data: [DONE]\n\n', ['is no JSON object']],
    ['an unknown event', toFrame({ type: 'hello' }), ['is no event of the dialect']],
    ['an unknown field', `dat: 1\n${toFrame(PING)}`, ['has the field "dat"']],
    ['an end inside a frame', 'event: ping\n', ['ends inside a frame']],
  ])('%s', (_, transcript, violations) => {
    expect(checkMessageStream(transcript)).toEqual([
      ...violations.map((violation) => expect.stringContaining(violation)),
      expect.stringContaining('the stream ends without'),
    ]);
  });

  it.each<[string, Event[], string]>([
    ['nothing at all', [], 'the stream ends without message_stop or an error'],
    ['no message_start', [DELTA, STOP], 'is outside of the message'],
    ['two message_starts', [START, START, DELTA, STOP], 'in the middle of a message'],
    ['content in message_start', [startWith({ content: [{}] }), DELTA, STOP], 'content is not []'],
    [
      'a stop_reason in message_start',
      [startWith({ stop_reason: 'x' }), DELTA, STOP],
      'is not null',
    ],
    [
      'no usage in message_start',
      [startWithUsage({ input_tokens: null }), DELTA, STOP],
      'is no number',
    ],
    [
      'two output tokens at the start',
      [startWithUsage({ output_tokens: 2 }), DELTA, STOP],
      'neither 0 nor',
    ],
    [
      'a block before message_start',
      [TEXT_START, stopBlock(0), START, DELTA, STOP],
      'outside of the message',
    ],
    [
      'a block after message_delta',
      [START, DELTA, TEXT_START, stopBlock(0), STOP],
      'outside of the message',
    ],
    [
      'an index that is skipped',
      [START, startBlock(1, EMPTY_BLOCK), stopBlock(1), DELTA, STOP],
      '1 instead of 0',
    ],
    [
      'an index twice',
      [START, TEXT_START, stopBlock(0), TEXT_START, ...CLOSING_EVENTS],
      'is 0 instead of 1',
    ],
    [
      'blocks that overlap',
      [START, TEXT_START, startBlock(1, CALL), stopBlock(1), DELTA, STOP],
      '0 is still open',
    ],
    [
      'a block without a type',
      [START, startBlock(0, {}), ...CLOSING_EVENTS],
      'its block has no type',
    ],
    [
      'a delta without a block',
      [START, TEXT_DELTA, DELTA, STOP],
      'no block is open for its text_delta',
    ],
    [
      'a delta for another block',
      [START, TEXT_START, { ...TEXT_DELTA, index: 1 }, ...CLOSING_EVENTS],
      'block 0 is open',
    ],
    [
      'a delta of another kind',
      [START, TEXT_START, inputDelta(0, '{}'), ...CLOSING_EVENTS],
      'does not grow by input',
    ],
    [
      'a delta after redacted thinking',
      [
        START,
        startBlock(0, { type: 'redacted_thinking', data: 'x' }),
        TEXT_DELTA,
        ...CLOSING_EVENTS,
      ],
      'a redacted_thinking block does not grow by text_delta',
    ],
    [
      'input that is not text',
      [START, startBlock(0, CALL), inputDelta(0, 1), ...CLOSING_EVENTS],
      'has no text',
    ],
    [
      'no text',
      [START, TEXT_START, deltaEvent(0, { type: 'text_delta' }), ...CLOSING_EVENTS],
      'text_delta has no',
    ],
    [
      'no thinking text',
      [START, TEXT_START, deltaEvent(0, { type: 'thinking_delta' }), ...CLOSING_EVENTS],
      'ta has no text',
    ],
    [
      'no signature',
      [START, TEXT_START, deltaEvent(0, { type: 'signature_delta' }), ...CLOSING_EVENTS],
      'a has no',
    ],
    [
      'a call without an id',
      [START, startBlock(0, { ...CALL, id: '' }), ...CLOSING_EVENTS],
      'has no id',
    ],
    [
      'a call without a name',
      [START, startBlock(0, { ...CALL, name: 1 }), ...CLOSING_EVENTS],
      'has no name',
    ],
    [
      'input at once',
      [START, startBlock(0, { ...CALL, input: { a: 1 } }), ...CLOSING_EVENTS],
      'with input {}',
    ],
    [
      'input as text',
      [START, startBlock(0, { ...CALL, input: '' }), ...CLOSING_EVENTS],
      'with input {}',
    ],
    [
      'broken arguments',
      [START, startBlock(0, CALL), inputDelta(0, '{"a'), ...CLOSING_EVENTS],
      'no JSON object: {"a',
    ],
    [
      'arguments in a list',
      [START, startBlock(0, CALL), inputDelta(0, '[]'), ...CLOSING_EVENTS],
      'no JSON object: []',
    ],
    ['a stop without a block', [START, stopBlock(0), DELTA, STOP], 'no block is open'],
    [
      'a stop of another block',
      [START, TEXT_START, stopBlock(1), DELTA, STOP],
      'index is 1, but block 0',
    ],
    ['message_delta in a block', [START, TEXT_START, DELTA, STOP], 'block 0 is still open'],
    ['two message_deltas', [START, DELTA, DELTA, STOP], 'is the second message_delta'],
    [
      'no stop_reason',
      [START, withMembers(DELTA, 'delta', { stop_reason: null }), STOP],
      'stop_reason',
    ],
    ['no usage', [START, { ...DELTA, usage: {} }, STOP], 'usage.output_tokens is no number'],
    ['no message_delta', [START, STOP], 'no message_delta precedes it'],
    ['no message_stop', [START, DELTA], 'the stream ends without message_stop'],
    ['a ping after message_stop', [START, DELTA, STOP, PING], 'comes after message_stop'],
    ['two message_stops', [START, DELTA, STOP, STOP], 'comes after message_stop'],
    ['an error after message_stop', [START, DELTA, STOP, ERROR], 'comes after message_stop'],
    ['message_stop after an error', [START, ERROR, STOP], 'comes after an error event'],
    [
      'an error without a type',
      [START, withMembers(ERROR, 'error', { type: null })],
      'has no type',
    ],
    [
      'an error without a message',
      [START, withMembers(ERROR, 'error', { message: 1 })],
      'has no message',
    ],
  ])('%s', (_, events, violation) => {
    expect(check(...events)).toContainEqual(expect.stringContaining(violation));
  });

  it('is reported with the number of the event', () => {
    expect(check(START, PING, TEXT_DELTA, DELTA, STOP)).toEqual([
      'event 3 (content_block_delta): no block is open for its text_delta',
    ]);
  });
});

function startWith(more: object): Event {
  return withMembers(START, 'message', more);
}

function startWithUsage(more: object): Event {
  return startWith({ usage: { input_tokens: 3, output_tokens: 1, ...more } });
}
