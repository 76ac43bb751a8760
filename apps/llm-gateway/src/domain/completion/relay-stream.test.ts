import { describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import { createStreamRelay } from './relay-stream.ts';
import type { StreamRelay } from './relay-stream.ts';

type Ended = StreamRelay['ended'];

const data = (value: unknown, end = '\n\n'): string => `data: ${JSON.stringify(value)}${end}`;
const delta = (content: object, extra: object = {}): object => ({
  id: 'c',
  choices: [{ index: 0, delta: content, finish_reason: null }],
  ...extra,
});
const ROLE = data(delta({ role: 'assistant', content: '' }));
const TEXT = data(delta({ content: 'Grüße 😀 ' }));
const MORE = data(delta({ content: 'and more' }, { unknown: { deep: [1, null] } }));
const STOP = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const USAGE = data({
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
});
const DONE = 'data: [DONE]\n\n';
const PIECES = [
  [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }],
  [{ index: 0, function: { arguments: '{"a":' } }],
  [{ index: 0, function: { arguments: '"é"}' } }],
].map((toolCalls) => data(delta({ tool_calls: toolCalls })));
const SECOND = data({ choices: [{ index: 1, delta: { content: 'other choice' } }] });

/** What the client gets of the bytes, pushed in these pieces. */
const relay = (pieces: readonly Uint8Array[], wantsUsage = false) => {
  const stream = createStreamRelay({ wantsUsage });
  // Copied: the relay may hand out views of what was pushed.
  const passed = pieces.map((piece) => Buffer.from(stream.push(piece)));
  return {
    client: Buffer.concat([...passed, stream.lastBytes]).toString('utf8'),
    passed: passed.map((bytes) => bytes.toString('utf8')),
    ended: stream.ended,
    answer: stream.answer,
    sha256: commitAnswer(stream.answer.choices()),
  };
};
const relayFrames = (frames: readonly string[], wantsUsage?: boolean) =>
  relay(
    frames.map((frame) => Buffer.from(frame)),
    wantsUsage,
  );

/** The same numbers in every run (mulberry32). */
const createNumbers = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const splitAt = (bytes: Buffer, cuts: readonly number[]): Buffer[] =>
  [0, ...cuts].map((from, place) => bytes.subarray(from, cuts[place] ?? bytes.length));

const TRANSCRIPTS: readonly (readonly [string, readonly string[], Ended])[] = [
  ['a plain answer', [ROLE, TEXT, MORE, STOP, USAGE, DONE], 'done'],
  ['CRLF line ends', [ROLE, TEXT, MORE, STOP, DONE].map((f) => f.replaceAll('\n', '\r\n')), 'done'],
  ['comments and fields', [': ping\n\n', ROLE, `event: x\nid: 1\n${TEXT}`, STOP, DONE], 'done'],
  ['tool calls', [ROLE, ...PIECES, STOP, USAGE, DONE], 'done'],
  ['two choices', [ROLE, TEXT, SECOND, STOP, DONE], 'done'],
  ['data over two lines', [ROLE, 'data: {"choices":\ndata: []}\n\n', TEXT, STOP, DONE], 'done'],
  ['an error', [ROLE, TEXT, data({ error: { message: 'overloaded' } })], 'error'],
  ['a cut', [ROLE, TEXT, MORE.slice(0, -20)], undefined],
  ['nonsense', ['data: {{{\n\n', TEXT, 'what is this\n\n', DONE], 'done'],
];

describe('the stream relay', () => {
  it.each(TRANSCRIPTS)('gives the same however %s is split', (_name, frames, ended) => {
    const bytes = Buffer.from(frames.join(''));
    const whole = relay([bytes]);
    expect(whole.ended).toBe(ended);
    const next = createNumbers(bytes.length);
    for (let round = 0; round < 150; round += 1) {
      const count = Math.floor(next() * 12);
      const cuts = Array.from({ length: count }, () => Math.floor(next() * (bytes.length + 1)));
      const split = relay(
        splitAt(
          bytes,
          cuts.toSorted((a, b) => a - b),
        ),
      );
      expect(split.client).toBe(whole.client);
      expect(split.sha256).toBe(whole.sha256);
      expect(split.ended).toBe(whole.ended);
    }
    const byteByByte = relay([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(byteByByte).toMatchObject({ client: whole.client, sha256: whole.sha256 });
  });

  it('survives a provider that uses its buffer again', () => {
    const frames = [ROLE, TEXT, MORE, STOP, DONE];
    const buffer = Buffer.alloc(4_096);
    const pieces = frames.map((frame) => Buffer.from(frame));
    const stream = createStreamRelay({ wantsUsage: false });
    const passed = pieces.map((piece) => {
      piece.copy(buffer);
      return Buffer.from(stream.push(buffer.subarray(0, piece.length)));
    });
    buffer.fill(0);
    const client = Buffer.concat([...passed, stream.lastBytes]).toString('utf8');
    expect(client).toBe(frames.join(''));
  });

  it('passes every byte of a stream without usage', () => {
    const frames = [': hello\n\n', ROLE, TEXT, MORE, SECOND, ...PIECES, STOP, DONE];
    expect(relayFrames(frames).client).toBe(frames.join(''));
  });

  it('keeps the usage chunk from a client that did not ask, and counts it', () => {
    const { client, answer } = relayFrames([ROLE, TEXT, STOP, USAGE, DONE]);
    expect(client).toBe([ROLE, TEXT, STOP, DONE].join(''));
    expect(answer.usage).toEqual({ promptTokens: 3, completionTokens: 4, totalTokens: 7 });
  });

  it('passes the usage chunk to a client that asked', () => {
    const frames = [ROLE, TEXT, STOP, USAGE, DONE];
    expect(relayFrames(frames, true).client).toBe(frames.join(''));
  });

  it('holds lifecycle frames until there is content', () => {
    const { passed } = relayFrames([ROLE, ': ping\n\n', data(delta({})), TEXT, MORE]);
    expect(passed).toEqual(['', '', '', `${ROLE}: ping\n\n${data(delta({}))}${TEXT}`, MORE]);
  });

  it('keeps the end back', () => {
    const { passed, client } = relayFrames([ROLE, TEXT, STOP, DONE]);
    expect(passed.at(-1)).toBe('');
    expect(client.endsWith(DONE)).toBe(true);
  });

  it('drops what comes behind the end', () => {
    const { client, sha256 } = relayFrames([TEXT, DONE, MORE, data({ error: 'x' }), DONE]);
    expect(client).toBe(TEXT + DONE);
    expect(sha256).toBe(relayFrames([TEXT, DONE]).sha256);
  });

  it('ends with an error of the provider, in its own words', () => {
    const failure = data({ error: { message: 'overloaded' } });
    const { ended, passed, client } = relayFrames([ROLE, TEXT, failure]);
    expect(ended).toBe('error');
    expect(passed.at(-1)).toBe('');
    expect(client).toBe(ROLE + TEXT + failure);
  });

  it('commits to the texts and tool calls of all choices', () => {
    const { answer } = relayFrames([ROLE, TEXT, SECOND, ...PIECES, MORE, STOP, DONE]);
    expect(answer.choices()).toEqual([
      {
        index: 0,
        content: 'Grüße 😀 and more',
        toolCalls: [{ id: 'call_1', name: 'f', arguments: '{"a":"é"}' }],
      },
      { index: 1, content: 'other choice', toolCalls: [] },
    ]);
  });

  it('gives up on a frame beyond every limit', () => {
    const stream = createStreamRelay({ wantsUsage: false });
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    const flood = (): void => {
      for (let sent = 0; sent <= 9; sent += 1) stream.push(megabyte);
    };
    expect(flood).toThrow('frame');
  });
});
