import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitsOf } from '../../../test/splits-of.ts';
import { openBareTagReader } from './open-bare-tag-reader.ts';

const read = (pieces: readonly string[], isCut = false): string => {
  const reader = openBareTagReader();
  const text = pieces.map(reader.push).join('');
  return text + reader.end({ isCut });
};

const TAG = 'MEMORY key="cash" type="fact">';

describe('a memory tag without its first character', () => {
  it.each<[string, string, string]>([
    ['gets it', `${TAG}We have 9.</MEMORY> Good.`, `<${TAG}We have 9.</MEMORY> Good.`],
    ['on a later line', `Hi.\n${TAG}9</MEMORY>`, `Hi.\n<${TAG}9</MEMORY>`],
    ['ends with its line', `${TAG}9\n\nSo wait.`, `<${TAG}9</MEMORY>\n\nSo wait.`],
    ['ends with the answer', `${TAG}9`, `<${TAG}9</MEMORY>`],
    ['twice', `${TAG}1\n${TAG}2\n`, `<${TAG}1</MEMORY>\n<${TAG}2</MEMORY>\n`],
  ])('%s', (_name, text, expected) => {
    expect(read([text])).toBe(expected);
  });

  it.each([
    'MEMORY: 9 GB',
    'MEMORY key is short',
    `The tag ${TAG}x</MEMORY>`,
    `<${TAG}x</MEMORY>\nMEM`,
    'MEMORIES key="x">',
    'MEMORY key="x"\n>',
    'MEMORY key=',
    '',
  ])('is not found in %j', (text) => {
    expect(read([text])).toBe(text);
  });

  it.each([
    [`Hi.\n${TAG}cut`, `Hi.\n<${TAG}cut`],
    ['Hi.\nMEMORY key="ca', 'Hi.\n'],
  ])('is not closed if the answer is cut off: %j', (text, expected) => {
    expect(read([text], true)).toBe(expected);
  });

  it('is found at any split', () => {
    const word = fc.constantFrom(
      ...['MEMORY', 'ME', ' key=', 'key', '"a"', '>', '<', '</MEMORY>', '\n', ' ', 'x', TAG],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), fc.nat(), (words, seed) => {
        const text = words.join('');
        const expected = read([text]);
        for (const pieces of splitsOf(text, { seed, count: 20 })) {
          expect(read(pieces)).toBe(expected);
        }
      }),
      { numRuns: 400 },
    );
  });
});
