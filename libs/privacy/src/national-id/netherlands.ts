import { weightedSum } from './weighted-sum.ts';

/** A Dutch burgerservicenummer: 9 digits by the elfproef. */
export function isDutchId(value: string): boolean {
  if (!/^\d{9}$/.test(value) || value === '000000000') return false;
  return weightedSum(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
}
