import { describe, expect, it } from '@jest/globals';
import { parseNumber } from './reading-context.ts';

describe('parseNumber', () => {
  it.each<[unknown, number | undefined]>([
    [12.5, 12.5],
    ['12500000', 12_500_000],
    ['$12.5 billion', 12_500_000_000],
    ['~12,500 EUR', 12_500],
    ['USD 3bn', 3_000_000_000],
    ['4.2 Mrd', 4_200_000_000],
    ['-3 %', -3],
    ['10-12 billion', undefined],
    ['1.250.000', undefined],
    ['12 Billionen', undefined],
    ['unknown', undefined],
    ['', undefined],
    [Number.NaN, undefined],
    [true, undefined],
    [[1], undefined],
    [null, undefined],
  ])('reads %j as %j', (value, number) => {
    expect(parseNumber(value)).toBe(number);
  });
});
