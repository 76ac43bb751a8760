import { describe, expect, it } from '@jest/globals';
import { stemWord } from './stem-word.ts';

describe('stemWord', () => {
  it.each([
    ['plan plans planned planning'],
    ['rate rates rated rating'],
    ['policy policies'],
    ['company companies'],
    ['raise raises raised raising'],
    ['box boxes'],
    ['govern government governments governing'],
    ['quick quickly quickness'],
  ])('returns one stem for %s', (family) => {
    expect(new Set(family.split(' ').map(stemWord)).size).toBe(1);
  });

  it.each(['us', 'gas', 'bus', 'analysis', 'class', 'need', 'sing', 'red', 'nation'])(
    'does not change %s',
    (word) => {
      expect(stemWord(word)).toBe(word);
    },
  );
});
