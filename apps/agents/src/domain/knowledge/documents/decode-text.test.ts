import { describe, expect, it } from '@jest/globals';
import { charsetOf, decodeText } from './decode-text.ts';

const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
const refusal = expect.objectContaining({ reason: 'UNSUPPORTED_MEDIA_TYPE' });

describe('decoding text', () => {
  it.each([
    ['UTF-8', Buffer.from('Zürich 東京 🙂'), undefined, 'Zürich 東京 🙂'],
    ['UTF-8 with a mark', Buffer.from('\ufeffZürich'), undefined, 'Zürich'],
    ['UTF-8 whose label is wrong', Buffer.from('\ufeffZürich'), 'windows-1252', 'Zürich'],
    ['UTF-16 with a mark', Buffer.from('\ufeffZürich', 'utf16le'), undefined, 'Zürich'],
    ['big-endian UTF-16', Buffer.from('\ufeffZü', 'utf16le').swap16(), undefined, 'Zü'],
    ['windows-1252', bytesOf(0x5a, 0xfc, 0x80, 0x93), undefined, 'Zü€“'],
    ['windows-1252 called UTF-8', bytesOf(0x5a, 0xfc), 'utf-8', 'Zü'],
    ['what its label says', bytesOf(0xb1, 0xb6), 'iso-8859-2', 'ąś'],
    ['Shift JIS', bytesOf(0x93, 0x8c, 0x8b, 0x9e), 'shift_jis', '東京'],
    ['a label that nobody knows', Buffer.from('ü'), 'klingon', 'ü'],
    ['line ends as they are', Buffer.from('a\r\nb\rc\n'), undefined, 'a\r\nb\rc\n'],
  ])('reads %s', (_name, bytes, label, text) => {
    expect(decodeText(bytes, label)).toBe(text);
  });

  it('stays with UTF-8 when a byte of a long text is broken', () => {
    const bytes = Buffer.concat([Buffer.from('é'.repeat(50)), bytesOf(0xfc), Buffer.from(' end')]);
    expect(decodeText(bytes)).toBe(`${'é'.repeat(50)}\ufffd end`);
  });

  it('never gives what is not well formed', () => {
    expect(decodeText(bytesOf(0xff, 0xfe, 0x61, 0, 0, 0xd8)).isWellFormed()).toBe(true);
  });

  it.each([
    ['zeros', bytesOf(0x61, 0, 0x62)],
    ['control characters', bytesOf(1, 2, 3, 0x61)],
  ])('takes %s for no text', (_name, bytes) => {
    expect(() => decodeText(bytes)).toThrow(refusal);
  });

  it('takes what a terminal printed for text', () => {
    const line = '\x1b[32mok\x1b[0m all of the tests that were asked for have passed this time\n';
    expect(decodeText(Buffer.from(line.repeat(9)))).toContain('ok');
  });

  it('finds the label of a media type', () => {
    expect(charsetOf('text/plain; charset="ISO-8859-2"; x=y')).toBe('ISO-8859-2');
    expect(charsetOf('text/plain')).toBeUndefined();
  });
});
