import { digitAt, weightedSum } from './weighted-sum.ts';

export function isTurkishIdentityNumber(value: string): boolean {
  if (!/^[1-9]\d{10}$/.test(value)) return false;
  const odd = weightedSum(value, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weightedSum(value, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return tenth === digitAt(value, 9) && (odd + even + tenth) % 10 === digitAt(value, 10);
}
