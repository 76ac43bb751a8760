import { weightedSum } from './weighted-sum.ts';

/** Burgerservicenummer: 9 digits that pass the elfproef (modulo 11). */
export function isDutchId(value: string): boolean {
  if (!/^\d{9}$/.test(value) || value === '000000000') return false;
  return weightedSum(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
}
