import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reasonOf } from '../test/reason-of.ts';
import { createSseSplitter } from './sse.ts';
import type { SseFrame } from './sse.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function framesOf(pieces: readonly Uint8Array[]): SseFrame[] {
  const splitter = createSseSplitter();
  const frames = pieces.flatMap((piece) => splitter.push(piece));
  const rest = splitter.end();
  return rest === undefined ? frames : [...frames, rest];
}

/** Splits a stream into frames at blank lines, independently of the code under test. */
function cutAtBlankLines(lines: readonly [string, string][]): string[] {
  const frames = [''];
  for (const [line, end] of lines) {
    frames.push(`${frames.pop()}${line}${end}`);
    if (line === '') frames.push('');
  }
  return frames.filter((frame) => frame !== '');
}

const read = (text: string) =>
  framesOf([encode(text)]).map(({ data, event, bytes }) => [data, event, decode(bytes)]);

describe('createSseSplitter', () => {
  it.each<[string, string, [string | undefined, string | undefined, string][]]>([
    [
      'line feeds',
      'data: a\n\ndata: b\n\n',
      [
        ['a', undefined, 'data: a\n\n'],
        ['b', undefined, 'data: b\n\n'],
      ],
    ],
    ['CRLF', 'data: a\r\n\r\n', [['a', undefined, 'data: a\r\n\r\n']]],
    ['mixed line ends', 'data: a\n\r\n', [['a', undefined, 'data: a\n\r\n']]],
    ['no space', 'data:a\n\n', [['a', undefined, 'data:a\n\n']]],
    ['two spaces', 'data:  a\n\n', [[' a', undefined, 'data:  a\n\n']]],
    ['empty data', 'data:\n\n', [['', undefined, 'data:\n\n']]],
    ['data without a colon', 'data\n\n', [['', undefined, 'data\n\n']]],
    ['several data lines', 'data: a\ndata: b\n\n', [['a\nb', undefined, 'data: a\ndata: b\n\n']]],
    ['an event', 'event: x\ndata: a\n\n', [['a', 'x', 'event: x\ndata: a\n\n']]],
    ['a comment alone', ': ping\n\n', [[undefined, undefined, ': ping\n\n']]],
    ['a comment before data', ':\ndata: a\n\n', [['a', undefined, ':\ndata: a\n\n']]],
    [
      'id and retry',
      'id: 1\nretry: 2\ndata: a\n\n',
      [['a', undefined, expect.anything()]] as never,
    ],
    ['a field like data', 'datax: a\n\n', [[undefined, undefined, 'datax: a\n\n']]],
    ['a bare CR between fields', 'event: x\rdata: a\n\n', [['a', 'x', 'event: x\rdata: a\n\n']]],
    ['a bare CR in data', 'data: a\rdata: b\n\n', [['a\nb', undefined, 'data: a\rdata: b\n\n']]],
    [
      'an additional blank line',
      'data: a\n\n\n',
      [
        ['a', undefined, 'data: a\n\n'],
        [undefined, undefined, '\n'],
      ],
    ],
    ['a byte order mark', '\ufeffdata: a\n\n', [['a', undefined, '\ufeffdata: a\n\n']]],
    ['a frame without its end', 'data: a', [['a', undefined, 'data: a']]],
    ['a line without its blank line', 'data: a\n', [['a', undefined, 'data: a\n']]],
    ['nothing', '', []],
  ])('reads %s', (_name, text, frames) => {
    expect(read(text)).toEqual(frames);
  });

  it.each([
    ['data: a\r\rdata: b\n\n', true],
    ['event: x\n\rdata: a\n\n', true],
    ['data: a\r\r\n\n', true],
    ['data: a\n\n\r', true],
    ['data: a\n\n\ufeffdata: b\n\n', true],
    ['data: a\n\ufeffdata: b\n\n', true],
    ['\ufeffdata: a\r\n\r\n', false],
    ['data: \ufeffa\n\r\n', false],
    ['data: ａ\n\n: ï\n\n', false],
  ])('says whether clients may read other lines: %j, %j', (text, isAmbiguous) => {
    const bytes = encode(text);
    const pieces = Array.from(bytes, (_byte, at) => bytes.slice(at, at + 1));
    for (const frames of [framesOf([bytes]), framesOf(pieces)]) {
      expect(frames.some((frame) => frame.isAmbiguous)).toBe(isAmbiguous);
    }
  });

  it('preserves a byte order mark inside data', () => {
    expect(read('data: \ufeffa\n\n')[0]?.[0]).toBe('\ufeffa');
  });

  it('finds the same frames for every split of the bytes, and preserves every byte', () => {
    const line = fc.constantFrom('data: ë😀', 'data:x', ': c', 'event: e', 'data', '', '', 'id: 1');
    const end = fc.constantFrom('\n', '\r\n');
    const stream = fc.array(fc.tuple(line, end), { maxLength: 12 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(120), { maxLength: 8 }), (lines, cuts) => {
        const bytes = encode(lines.flat().join(''));
        const offsets = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
        const sorted = offsets.toSorted((a, b) => a - b);
        const pieces = sorted.slice(1).map((to, i) => bytes.slice(sorted[i], to));
        const expected = framesOf([bytes]);
        expect(expected.map((frame) => decode(frame.bytes))).toEqual(cutAtBlankLines(lines));
        expect(framesOf(pieces)).toEqual(expected);
        expect(framesOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
        expect(Buffer.concat(expected.map((frame) => frame.bytes))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('returns bytes that later pushes do not change', () => {
    const splitter = createSseSplitter();
    splitter.push(encode('data: a'));
    const [first] = splitter.push(encode('\n\ndata: bbbbbbbb'));
    splitter.push(encode('\n\n'));
    expect(first && decode(first.bytes)).toBe('data: a\n\n');
  });

  it('refuses a frame beyond the limit, complete or not', () => {
    const limit = { maxFrameBytes: 20 };
    expect(createSseSplitter(limit).push(encode('data: 123456789012\n\n'))).toHaveLength(1);
    const pushWholeFrame = () => createSseSplitter(limit).push(encode('data: 1234567890123\n\n'));
    expect(reasonOf(pushWholeFrame)).toBe('frame_too_large');
    const growing = () => {
      const splitter = createSseSplitter(limit);
      for (let i = 0; i < 21; i += 1) splitter.push(encode('x'));
    };
    expect(reasonOf(growing)).toBe('frame_too_large');
  });
});
