import { digitAt, weightedSum } from './weighted-sum.ts';

export function isBrazilianCpf(value: string): boolean {
  if (!/^\d{11}$/.test(value) || new Set(value).size === 1) return false;
  const first = checkDigit(weightedSum(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]));
  const second = checkDigit(weightedSum(value, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]));
  return first === digitAt(value, 9) && second === digitAt(value, 10);
}

function checkDigit(sum: number): number {
  const rest = (sum * 10) % 11;
  return rest === 10 ? 0 : rest;
}
