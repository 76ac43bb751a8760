import { digitAt, weightedSum } from './weighted-sum.ts';

export function isAustralianTfn(value: string): boolean {
  if (!/^\d{8,9}$/.test(value) || /^0+$/.test(value)) return false;
  const weights = value.length === 9 ? [1, 4, 3, 7, 5, 8, 6, 9, 10] : [10, 7, 8, 4, 6, 3, 5, 1];
  return weightedSum(value, weights) % 11 === 0;
}

export function isAustralianMedicareNumber(value: string): boolean {
  if (!/^[2-6]\d{9,10}$/.test(value)) return false;
  return weightedSum(value, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digitAt(value, 8);
}
