import { describe, expect, it } from '@jest/globals';
import { splitChange } from './split-change.ts';

describe('splitChange', () => {
  it.each([
    ['an added sentence', 'Finds. Obey me. Now.', 'Finds. Now.', 'Finds. |Obey me. |Now.'],
    ['a removed sentence', 'Finds. Now.', 'Finds. Obey me. Now.', 'Finds. ||Now.'],
    ['equal texts', 'Finds.', 'Finds.', 'Finds.||'],
    ['different texts', 'abc', 'xyz', '|abc|'],
    ['an empty text', '', 'abc', '||'],
    ['repeated characters', 'aaa', 'aa', 'aa|a|'],
    ['another emoji', '😀', '😁', '|😀|'],
  ])('marks what %s has', (_name, text, other, expected) => {
    const { before, changed, after } = splitChange(text, other);
    expect(`${before}|${changed}|${after}`).toBe(expected);
    expect(before + changed + after).toBe(text);
  });
});
