import { describe, expect, it } from '@jest/globals';
import { STANCE_WORDS, toStance, wordOf } from './stance-words.ts';

describe('toStance', () => {
  it('reads each word of the schema as its level', () => {
    expect(STANCE_WORDS.map(toStance)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(STANCE_WORDS.map(toStance).map((level) => wordOf(level!))).toEqual(STANCE_WORDS);
  });

  it.each([
    ['Rather_Against', -0.5],
    ['strongly for', 1],
    ['in favour', 1],
    ['eher dafür', 0.5],
    ['dagegen.', -1],
    ['más bien en contra', -0.5],
    ['a favor', 1],
    ['plutôt pour', 0.5],
    ['contre', -1],
    ['neutral', 0],
  ])('reads %j as %d', (text, level) => {
    expect(toStance(text)).toBe(level);
  });

  it.each([
    [0.75, 1],
    [0.74, 0.5],
    [0.25, 0.5],
    [0.24, 0],
    [1, 1],
  ])('rounds %d and its opposite alike, away from zero', (number, level) => {
    expect([toStance(number), toStance(String(number))]).toEqual([level, level]);
    expect([toStance(-number), toStance(`-${number}`)]).toEqual([0 - level, 0 - level]);
  });

  it.each(['', 'yes', 'for and against', 'format', 2, null, undefined, Number.NaN, {}, true])(
    'reads %j as no stance',
    (value) => {
      expect(toStance(value)).toBeUndefined();
    },
  );
});
