import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defuseTags } from './defuse-tags.ts';
import { openMemoryReader } from './open-memory-reader.ts';

describe('text that a model is given', () => {
  it.each([
    ['<MEMORY key=a>x</MEMORY>', '&lt;MEMORY key=a>x&lt;/MEMORY>'],
    ['<<memory/>', '<&lt;memory/>'],
    ['<MEMORYX>', '&lt;MEMORYX>'],
    ['a < b, <b>, <mem', 'a < b, <b>, <mem'],
  ])('%j becomes %j', (text, defused) => {
    expect(defuseTags(text)).toBe(defused);
    expect(defuseTags(defused)).toBe(defused);
  });

  it('holds no tag any more', () => {
    const word = fc.constantFrom('<', '</', 'memory', 'MEMORY', ' key=a', '>', 'x', '&lt;');
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const text = defuseTags(words.join(''));
        const reader = openMemoryReader();
        expect(reader.push(text) + reader.end().text).toBe(text);
      }),
    );
  });
});
