import { describe, expect, it } from '@jest/globals';
import { charsetOf, decodeText } from './decode-text.ts';

const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
const refusal = expect.objectContaining({ reason: 'UNSUPPORTED_MEDIA_TYPE' });

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from('Zürich 東京 🙂'), undefined, 'Zürich 東京 🙂'],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffZürich'), undefined, 'Zürich'],
    [
      'UTF-8 with a byte order mark and a wrong label',
      Buffer.from('\ufeffZürich'),
      'windows-1252',
      'Zürich',
    ],
    ['UTF-16 with a byte order mark', Buffer.from('\ufeffZürich', 'utf16le'), undefined, 'Zürich'],
    ['big-endian UTF-16', Buffer.from('\ufeffZü', 'utf16le').swap16(), undefined, 'Zü'],
    ['windows-1252', bytesOf(0x5a, 0xfc, 0x80, 0x93), undefined, 'Zü€“'],
    ['windows-1252 labelled UTF-8', bytesOf(0x5a, 0xfc), 'utf-8', 'Zü'],
    ['the labelled character set', bytesOf(0xb1, 0xb6), 'iso-8859-2', 'ąś'],
    ['Shift JIS', bytesOf(0x93, 0x8c, 0x8b, 0x9e), 'shift_jis', '東京'],
    ['text with an unknown label', Buffer.from('ü'), 'klingon', 'ü'],
    ['line breaks unchanged', Buffer.from('a\r\nb\rc\n'), undefined, 'a\r\nb\rc\n'],
  ])('reads %s', (_name, bytes, label, text) => {
    expect(decodeText(bytes, label)).toBe(text);
  });

  it('decodes UTF-8 despite a single invalid byte', () => {
    const bytes = Buffer.concat([Buffer.from('é'.repeat(50)), bytesOf(0xfc), Buffer.from(' end')]);
    expect(decodeText(bytes)).toBe(`${'é'.repeat(50)}\ufffd end`);
  });

  it('returns well-formed text', () => {
    expect(decodeText(bytesOf(0xff, 0xfe, 0x61, 0, 0, 0xd8)).isWellFormed()).toBe(true);
  });

  it.each([
    ['zeros', bytesOf(0x61, 0, 0x62)],
    ['control characters', bytesOf(1, 2, 3, 0x61)],
  ])('rejects %s as binary', (_name, bytes) => {
    expect(() => decodeText(bytes)).toThrow(refusal);
  });

  it('does not treat terminal output as binary', () => {
    const line = '\x1b[32mok\x1b[0m all of the tests that were asked for have passed this time\n';
    expect(decodeText(Buffer.from(line.repeat(9)))).toContain('ok');
  });

  it('finds the character set of a media type', () => {
    expect(charsetOf('text/plain; charset="ISO-8859-2"; x=y')).toBe('ISO-8859-2');
    expect(charsetOf('text/plain')).toBeUndefined();
  });
});
