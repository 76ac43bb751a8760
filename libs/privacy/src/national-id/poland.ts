import { digitAt, weightedSum } from './weighted-sum.ts';

/** Checks the date and the check digit. The month also encodes the century. */
export function isPolishPesel(value: string): boolean {
  if (!/^\d{11}$/.test(value)) return false;
  const month = Number(value.slice(2, 4)) % 20;
  const day = Number(value.slice(4, 6));
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  const sum = weightedSum(value, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
  return (10 - (sum % 10)) % 10 === digitAt(value, 10);
}
