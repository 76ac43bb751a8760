import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeMemoryTags } from './undo-escapes.ts';
import { openMemoryReader } from './open-memory-reader.ts';

describe('escapeMemoryTags', () => {
  it.each([
    ['<MEMORY key=a>x</MEMORY>', '&lt;MEMORY key=a>x&lt;/MEMORY>'],
    ['<<memory/>', '<&lt;memory/>'],
    ['<MEMORYX>', '&lt;MEMORYX>'],
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
