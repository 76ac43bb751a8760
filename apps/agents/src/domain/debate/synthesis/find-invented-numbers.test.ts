import { describe, expect, it } from '@jest/globals';
import { findInventedNumbers } from './find-invented-numbers.ts';

const find = (text: string, material: string): string[] =>
  findInventedNumbers(text, { material, countMax: 5 });

describe('findInventedNumbers', () => {
  it.each([
    ['as it is', 'Costs rise to 1200.', 'it costs 1200'],
    ['grouped', 'Costs rise to 1,200.', 'it costs 1200'],
    ['grouped otherwise', 'Costs rise to 1.200.', "it costs 1'200"],
    ['with a comma for a point', 'Ein Anteil von 3,5.', 'a share of 3.5'],
    ['a share in percent', 'Agreement of 62 %.', 'convergence: 0.62 of 1'],
    ['percent as a share', 'A share of 0.07.', 'it is 7 %'],
    ['a share that binary fractions miss', 'A share of 29 %.', 'it is 0.29'],
    ['a count of members', 'All but 2 of 5 hold that.', ''],
    ['wide digits', 'It is １２００.', 'it costs 1200'],
    ['no number', 'Costs rise.', ''],
  ])('knows a number of the material: %s', (_name, text, material) => {
    expect(find(text, material)).toEqual([]);
  });

  it.each([
    ['another number', 'Revenue grew 900 %.', 'revenue grew 9.1 %', ['900']],
    ['a part of a number', 'In 202 days.', 'in 2026', ['202']],
    ['each once', '77 and 77, and 88.', '', ['77', '88']],
    ['above the counts', '6 members', '', ['6']],
  ])('finds one that is not there: %s', (_name, text, material, invented) => {
    expect(find(text, material)).toEqual(invented);
  });
});
