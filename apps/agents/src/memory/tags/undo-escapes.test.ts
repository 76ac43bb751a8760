import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openMemoryReader } from './open-memory-reader.ts';
import { escapeMemoryTags, undoEscapes } from './undo-escapes.ts';

describe('undoEscapes', () => {
  it.each([
    ['', ''],
    ['100 % of <a> \\ b & c', '100 % of <a> \\ b & c'],
    ['&amp;amp;lt;', '<'],
    ['&LT;&#62;&#x2f;&quot;&apos;&nbsp;&hellip;', `<>/"' &hellip;`],
    [String.raw`\u003c\x3e\"\'\/a\nb\tc\q`, `<>"'/a b c\\q`],
    [String.raw`\\\\\\\"x\\\\n`, '"x '],
    ['%3c%3E%09%C3', '<>%09%C3'],
    ['＜ｍ\u200be\u00ad①', '<me1'],
  ])('decodes %j to %j', (text, plain) => {
    expect(undoEscapes(text)).toBe(plain);
  });

  it.each(['\\', '&', '&#', '&amp;', '%', '\\u00', '%25', '\u200b'])(
    'takes linear time for many of %j and never lengthens a text',
    (piece) => {
      const text = piece.repeat(2 ** 15);
      expect(undoEscapes(text).length).toBeLessThanOrEqual(text.length);
    },
  );

  it('decodes nested JSON and HTML escapes', () => {
    const toPage = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const word = fc.constantFrom('<MEMORY', ' ', 'key', '=', '"', 'a', '>', '</', 'ä');
    fc.assert(
      fc.property(fc.array(word), fc.nat({ max: 3 }), fc.boolean(), (words, depth, isPage) => {
        const plain = words.join('');
        let text = plain;
        for (let index = 0; index < depth; index += 1)
          text = isPage ? toPage(text) : JSON.stringify(text).slice(1, -1);
        expect(undoEscapes(text)).toBe(plain);
      }),
    );
  });
});

describe('escapeMemoryTags', () => {
  it.each([
    ['<MEMORY key=a>x</MEMORY>', '&lt;MEMORY key=a>x&lt;/MEMORY>'],
    ['<<memory/>', '<&lt;memory/>'],
    ['<MEMORYX>', '&lt;MEMORYX>'],
    ['Hi.\nMEMORY key=a>x', 'Hi.\n&lt;MEMORY key=a>x'],
    ['a < b, <b>, <mem', 'a < b, <b>, <mem'],
  ])('%j becomes %j', (text, escaped) => {
    expect(escapeMemoryTags(text)).toBe(escaped);
    expect(escapeMemoryTags(escaped)).toBe(escaped);
  });

  it('leaves no tag that the reader would parse', () => {
    const word = fc.constantFrom('<', '</', 'memory', 'MEMORY', ' key=a', '>', 'x', '&lt;');
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const text = escapeMemoryTags(words.join(''));
        const reader = openMemoryReader();
        expect(reader.push(text) + reader.end().text).toBe(text);
      }),
    );
  });
});
