import { weightedSum } from './weighted-sum.ts';

export function isDutchBsn(value: string): boolean {
  if (!/^\d{9}$/.test(value) || value === '000000000') return false;
  return weightedSum(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
}
