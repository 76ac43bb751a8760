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
const open = (index: number, content_block: object): Event => ({
  type: 'content_block_start',
  index,
  content_block,
});
const grow = (index: number, delta: object): Event => ({
  type: 'content_block_delta',
  index,
  delta,
});
const shut = (index: number): Event => ({ type: 'content_block_stop', index });
const input = (index: number, partial_json: unknown): Event =>
  grow(index, { type: 'input_json_delta', partial_json });
const EMPTY = { type: 'text', text: '' };
const TEXT = open(0, EMPTY);
const HI = grow(0, { type: 'text_delta', text: 'Hi' });
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} };
const DELTA: Event = {
  type: 'message_delta',
  delta: { stop_reason: 'tool_use', stop_sequence: null },
  usage: { output_tokens: 7 },
};
const STOP: Event = { type: 'message_stop' };
const ERROR: Event = { type: 'error', error: { type: 'api_error', message: 'Gone.' } };

const frame = (event: Event, lineEnd = '\n'): string =>
  `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`;
const text = (...events: Event[]): string => events.map((event) => frame(event)).join('');
const check = (...events: Event[]): string[] => checkMessageStream(text(...events));

const change = (event: Event, key: string, more: object): Event => ({
  ...event,
  [key]: { ...(event[key] as object), ...more },
});

/**
 * A valid stream with every kind of content block, pings, and tool arguments in pieces and without
 * any.
 */
const WHOLE = [
  START,
  PING,
  open(0, { type: 'thinking', thinking: '', signature: '' }),
  grow(0, { type: 'thinking_delta', thinking: 'Hm.' }),
  PING,
  grow(0, { type: 'signature_delta', signature: 'c2ln' }),
  shut(0),
  open(1, { type: 'redacted_thinking', data: 'ZGF0YQ==' }),
  shut(1),
  open(2, EMPTY),
  grow(2, { type: 'text_delta', text: 'Hi' }),
  shut(2),
  open(3, CALL),
  input(3, ''),
  input(3, '{"a":'),
  input(3, '1}'),
  shut(3),
  open(4, { ...CALL, id: 'toolu_2' }),
  shut(4),
  DELTA,
  STOP,
];

describe('a valid message stream', () => {
  it.each([
    ['has blocks of every kind', text(...WHOLE)],
    ['has lines that end in CRLF', WHOLE.map((event) => frame(event, '\r\n')).join('')],
    ['has comments between frames', `: hello\n\n${text(...WHOLE).replaceAll('\n\n', '\n\n:\n\n')}`],
    ['says nothing', text(START, DELTA, STOP)],
    ['ends in an error before it began', text(ERROR)],
    ['ends in an error inside a block', text(START, TEXT, HI, ERROR)],
    ['ends in an error inside of arguments', text(START, open(0, CALL), input(0, '{"a'), ERROR)],
  ])('%s', (_, transcript) => {
    expect(checkMessageStream(transcript)).toEqual([]);
  });
});

const closing = [shut(0), DELTA, STOP];

describe('an invalid message stream', () => {
  it.each<[string, string, string[]]>([
    ['another event name', frame(START).replace('message_start', 'start'), ['under the name "sta']],
    ['no event name', frame(START).replace(/^.*\n/, ''), ['under the name undefined']],
    ['data that is no JSON', 'event: ping\ndata: {"type"\n\n', ['is no JSON object']],
    ['data that is no object', 'event: ping\ndata: [1]\n\n', ['is no JSON object']],
    ['[DONE]', 'data: [DONE]\n\n', ['is no JSON object']],
    ['an event that nobody knows', frame({ type: 'hello' }), ['is no event of the dialect']],
    ['a field that nobody knows', `dat: 1\n${frame(PING)}`, ['has the field "dat"']],
    ['an end inside a frame', 'event: ping\n', ['ends inside a frame']],
  ])('%s', (_, transcript, violations) => {
    expect(checkMessageStream(transcript)).toEqual([
      ...violations.map((violation) => expect.stringContaining(violation)),
      expect.stringContaining('the stream ends without'),
    ]);
  });

  it.each<[string, Event[], string]>([
    ['nothing at all', [], 'the stream ends without message_stop or an error'],
    ['no message_start', [DELTA, STOP], 'stands outside of the message'],
    ['two message_starts', [START, START, DELTA, STOP], 'in the middle of a message'],
    ['content in message_start', [broken({ content: [{}] }), DELTA, STOP], 'content is not []'],
    ['a reason in message_start', [broken({ stop_reason: 'x' }), DELTA, STOP], 'is not null'],
    ['no usage in message_start', [usage({ input_tokens: null }), DELTA, STOP], 'is no number'],
    ['two output tokens at the start', [usage({ output_tokens: 2 }), DELTA, STOP], 'neither 0 nor'],
    ['a block before message_start', [TEXT, shut(0), START, DELTA, STOP], 'outside of the message'],
    ['a block behind message_delta', [START, DELTA, TEXT, shut(0), STOP], 'outside of the message'],
    ['an index that is left out', [START, open(1, EMPTY), shut(1), DELTA, STOP], '1 instead of 0'],
    ['an index twice', [START, TEXT, shut(0), TEXT, ...closing], 'is 0 instead of 1'],
    ['blocks that overlap', [START, TEXT, open(1, CALL), shut(1), DELTA, STOP], '0 is still open'],
    ['a block without a type', [START, open(0, {}), ...closing], 'its block has no type'],
    ['a delta without a block', [START, HI, DELTA, STOP], 'no block is open for its text_delta'],
    [
      'a delta for another block',
      [START, TEXT, { ...HI, index: 1 }, ...closing],
      'block 0 is open',
    ],
    [
      'a delta of another kind',
      [START, TEXT, input(0, '{}'), ...closing],
      'does not grow by input',
    ],
    [
      'a delta behind redacted thinking',
      [START, open(0, { type: 'redacted_thinking', data: 'x' }), HI, ...closing],
      'a redacted_thinking block does not grow by text_delta',
    ],
    ['input that is no text', [START, open(0, CALL), input(0, 1), ...closing], 'has no text'],
    ['no text', [START, TEXT, grow(0, { type: 'text_delta' }), ...closing], 'text_delta has no'],
    [
      'no thought',
      [START, TEXT, grow(0, { type: 'thinking_delta' }), ...closing],
      'ta has no text',
    ],
    ['no signature', [START, TEXT, grow(0, { type: 'signature_delta' }), ...closing], 'a has no'],
    ['a call without an id', [START, open(0, { ...CALL, id: '' }), ...closing], 'has no id'],
    ['a call without a name', [START, open(0, { ...CALL, name: 1 }), ...closing], 'has no name'],
    ['input at once', [START, open(0, { ...CALL, input: { a: 1 } }), ...closing], 'with input {}'],
    ['input as text', [START, open(0, { ...CALL, input: '' }), ...closing], 'with input {}'],
    [
      'broken arguments',
      [START, open(0, CALL), input(0, '{"a'), ...closing],
      'no JSON object: {"a',
    ],
    [
      'arguments in a list',
      [START, open(0, CALL), input(0, '[]'), ...closing],
      'no JSON object: []',
    ],
    ['a stop without a block', [START, shut(0), DELTA, STOP], 'no block is open'],
    ['a stop of another block', [START, TEXT, shut(1), DELTA, STOP], 'index is 1, but block 0'],
    ['message_delta in a block', [START, TEXT, DELTA, STOP], 'block 0 is still open'],
    ['two message_deltas', [START, DELTA, DELTA, STOP], 'is the second message_delta'],
    ['no stop_reason', [START, change(DELTA, 'delta', { stop_reason: null }), STOP], 'stop_reason'],
    ['no usage', [START, { ...DELTA, usage: {} }, STOP], 'usage.output_tokens is no number'],
    ['no message_delta', [START, STOP], 'no message_delta stands before it'],
    ['no message_stop', [START, DELTA], 'the stream ends without message_stop'],
    ['a ping behind message_stop', [START, DELTA, STOP, PING], 'stands behind message_stop'],
    ['two message_stops', [START, DELTA, STOP, STOP], 'stands behind message_stop'],
    ['an error behind message_stop', [START, DELTA, STOP, ERROR], 'stands behind message_stop'],
    ['message_stop behind an error', [START, ERROR, STOP], 'stands behind an error event'],
    ['an error without a type', [START, change(ERROR, 'error', { type: null })], 'has no type'],
    ['an error without words', [START, change(ERROR, 'error', { message: 1 })], 'has no message'],
  ])('%s', (_, events, violation) => {
    expect(check(...events)).toContainEqual(expect.stringContaining(violation));
  });

  it('is reported with the number of the event', () => {
    expect(check(START, PING, HI, DELTA, STOP)).toEqual([
      'event 3 (content_block_delta): no block is open for its text_delta',
    ]);
  });
});

function broken(more: object): Event {
  return change(START, 'message', more);
}

function usage(more: object): Event {
  return broken({ usage: { input_tokens: 3, output_tokens: 1, ...more } });
}
