import { describe, expect, it } from '@jest/globals';
import type { StreamRelay } from './relay.ts';
import {
  CHAT,
  MESSAGES,
  openRelay,
  relay,
  relayFrames,
  formatEvents,
} from '../../test/open-relay.ts';
import type { Setting } from '../../test/open-relay.ts';
import { chatFrame as data, DONE, messageFrames } from '../../test/provider-answers.ts';
import {
  BLOCKS,
  ERROR,
  MESSAGE_ERROR,
  MORE_TEXT_FRAME,
  PIECES,
  ROLE,
  SECOND_CHOICE_FRAME,
  STOP_FRAME,
  TEXT,
  USAGE,
} from '../../test/stream-frames.ts';

type RelayEnd = StreamRelay['ended'];

/**
 * Creates a seeded random number generator (mulberry32), so that every run has the same numbers.
 */
const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const splitAt = (bytes: Buffer, cuts: readonly number[]): Buffer[] =>
  [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));

const TRANSCRIPTS: readonly (readonly [string, readonly string[], RelayEnd])[] = [
  ['a plain answer', [ROLE, TEXT, MORE_TEXT_FRAME, STOP_FRAME, USAGE, DONE], 'done'],
  [
    'CRLF line ends',
    [ROLE, TEXT, MORE_TEXT_FRAME, STOP_FRAME, DONE].map((f) => f.replaceAll('\n', '\r\n')),
    'done',
  ],
  [
    'comments and fields',
    [': ping\n\n', ROLE, `event: x\nid: 1\n${TEXT}`, STOP_FRAME, DONE],
    'done',
  ],
  ['tool calls', [ROLE, ...PIECES, STOP_FRAME, USAGE, DONE], 'done'],
  ['two choices', [ROLE, TEXT, SECOND_CHOICE_FRAME, STOP_FRAME, DONE], 'done'],
  [
    'data over two lines',
    [ROLE, 'data: {"choices":\ndata: []}\n\n', TEXT, STOP_FRAME, DONE],
    'done',
  ],
  ['an error', [ROLE, TEXT, data({ error: { message: 'overloaded' } })], 'error'],
  ['a cut stream', [ROLE, TEXT, MORE_TEXT_FRAME.slice(0, -20)], undefined],
  ['malformed frames', ['data: {{{\n\n', TEXT, 'what is this\n\n', DONE], 'done'],
];
const MESSAGE_TRANSCRIPTS: readonly (readonly [string, readonly string[], RelayEnd])[] = [
  ['a message', BLOCKS, 'done'],
  ['a message with CRLF', BLOCKS.map((frame) => frame.replaceAll('\n', '\r\n')), 'done'],
  ['a message that breaks off', BLOCKS.slice(0, 9), undefined],
  ['a message with an error', [...BLOCKS.slice(0, 9), MESSAGE_ERROR], 'error'],
];

const CASES = [
  ...TRANSCRIPTS.flatMap(([name, frames, ended]) => [
    [name, frames, ended, CHAT] as const,
    [`${name}, translated`, frames, ended, { ...CHAT, client: 'messages' }] as const,
  ]),
  ...MESSAGE_TRANSCRIPTS.flatMap(([name, frames, ended]) => [
    [name, frames, ended, MESSAGES] as const,
    [`${name}, translated`, frames, ended, { ...MESSAGES, client: 'chat-completions' }] as const,
  ]),
] as readonly (readonly [string, readonly string[], RelayEnd, Setting])[];

describe('the stream relay', () => {
  it.each(CASES)('gives the same result however %s is split', (_name, frames, ended, setting) => {
    const bytes = Buffer.from(frames.join(''));
    const whole = relay([bytes], setting);
    expect(whole.ended).toBe(ended);
    const { client, sha256 } = whole;
    const next = createRandom(bytes.length);
    for (let round = 0; round < 100; round += 1) {
      const count = Math.floor(next() * 12);
      const cuts = Array.from({ length: count }, () => Math.floor(next() * (bytes.length + 1)));
      const pieces = splitAt(
        bytes,
        cuts.toSorted((a, b) => a - b),
      );
      expect(relay(pieces, setting)).toMatchObject({ client, sha256, ended });
    }
    const byteByByte = relay(
      [...bytes].map((byte) => Uint8Array.of(byte)),
      setting,
    );
    expect(byteByByte).toMatchObject({ client, sha256, ended });
  });

  const TRANSLATED: Setting = { ...CHAT, client: 'messages' };
  it.each([
    ['passed', CHAT],
    ['translated', TRANSLATED],
  ])('copies buffered bytes when the provider reuses its buffer: %s', (_name, setting) => {
    const frames = [ROLE, TEXT, MORE_TEXT_FRAME, STOP_FRAME, DONE];
    const buffer = Buffer.alloc(4_096);
    const stream = openRelay(setting);
    const events = frames.flatMap((frame) => {
      const length = buffer.write(frame);
      return [formatEvents(stream.push(buffer.subarray(0, length)))];
    });
    buffer.fill(0);
    events.push(formatEvents(stream.lastEvents()));
    expect(events.join('')).toBe(relayFrames(frames, setting).client);
  });

  it('throws for a frame beyond the limit', () => {
    const stream = openRelay(CHAT);
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    const pushTooMuch = (): void => {
      for (let sent = 0; sent <= 9; sent += 1) stream.push(megabyte);
    };
    expect(pushTooMuch).toThrow('frame');
  });

  it.each([
    ['a chat stream', CHAT, [ROLE, TEXT, STOP_FRAME, DONE], 'stop'],
    ['a stream without choices', CHAT, [DONE], 'error'],
    [
      'a stream with an error after its finish reason',
      CHAT,
      [ROLE, TEXT, STOP_FRAME, ERROR],
      'error',
    ],
    ['a message', MESSAGES, BLOCKS, 'tool_calls'],
    ['a truncated message', MESSAGES, messageFrames({ stopReason: 'max_tokens' }), 'length'],
  ])('reports why %s ended', (_name, setting, frames, expected) => {
    const otherDialect = setting === CHAT ? 'messages' : 'chat-completions';
    expect(relayFrames(frames, setting).finishReason).toBe(expected);
    expect(relayFrames(frames, { ...setting, client: otherDialect }).finishReason).toBe(expected);
  });

  it('treats a stream without a finish reason as complete only in its own dialect', () => {
    const frames = [ROLE, TEXT, DONE];
    expect(relayFrames(frames, CHAT).finishReason).toBe('stop');
    expect(relayFrames(frames, { ...CHAT, client: 'messages' }).finishReason).toBe('error');
  });

  it.each(['data: [DONE]', 'data: [DONE]\n', 'data: [DONE]\r\n'])(
    'accepts %j as the end when the provider closes after it',
    (last) => {
      const stream = openRelay(CHAT);
      stream.push(Buffer.from(ROLE + TEXT + STOP_FRAME + last));
      expect(stream.ended).toBeUndefined();
      stream.finish();
      expect([stream.ended, formatEvents(stream.lastEvents())]).toEqual(['done', `${last}\n\n`]);
    },
  );

  it('does not accept half a frame as the end', () => {
    const stream = openRelay(CHAT);
    stream.push(Buffer.from(ROLE + TEXT.slice(0, -20)));
    stream.finish();
    expect(stream.ended).toBeUndefined();
  });
});
