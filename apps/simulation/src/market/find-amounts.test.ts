import { describe, expect, it } from '@jest/globals';
import { findAmounts } from './find-amounts.ts';

describe('findAmounts', () => {
  it.each<[string, number[]]>([
    ['around 100 million euros per year', [1e8]],
    ['$12.5 billion in 2023, after $9bn', [12.5e9, 9e9]],
    ['etwa 4,2 Milliarden Euro', [4.2e9]],
    ['250 Mio. EUR', [25e7]],
    ['unos 3 mil millones de euros', [3e9]],
    ['1.250.000 euros', [1_250_000]],
    ['3 million households, 2024, 7.5 %', []],
    ['no figure', []],
  ])('finds amounts of money only: %s', (text, amounts) => {
    expect(findAmounts(text)).toEqual(amounts);
  });
});
