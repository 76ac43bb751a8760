import { describe, expect, it } from '@jest/globals';
import { findInventedNumbers } from './find-invented-numbers.ts';

const find = (text: string, material: string): string[] =>
  findInventedNumbers(text, { material, countMax: 5 });

describe('findInventedNumbers', () => {
  it.each([
    ['unchanged', 'Costs rise to 1200.', 'it costs 1200'],
    ['grouped', 'Costs rise to 1,200.', 'it costs 1200'],
    ['with other separators', 'Costs rise to 1.200.', "it costs 1'200"],
    ['with a decimal comma', 'Ein Anteil von 3,5.', 'a share of 3.5'],
    ['a share as a percentage', 'Agreement of 62 %.', 'convergence: 0.62 of 1'],
    ['a percentage as a share', 'A share of 0.07.', 'it is 7 %'],
    ['a share with a binary rounding error', 'A share of 29 %.', 'it is 0.29'],
    ['a count of members', 'All but 2 of 5 hold that.', ''],
    ['full-width digits', 'It is １２００.', 'it costs 1200'],
    ['no number', 'Costs rise.', ''],
  ])('accepts a number of the material: %s', (_name, text, material) => {
    expect(find(text, material)).toEqual([]);
  });

  it.each([
    ['another number', 'Revenue grew 900 %.', 'revenue grew 9.1 %', ['900']],
    ['part of a number', 'In 202 days.', 'in 2026', ['202']],
    ['repeated numbers once', '77 and 77, and 88.', '', ['77', '88']],
    ['a count above the limit', '6 members', '', ['6']],
  ])('finds an invented number: %s', (_name, text, material, invented) => {
    expect(find(text, material)).toEqual(invented);
  });
});
