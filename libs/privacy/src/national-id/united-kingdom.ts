import { digitAt, weightedSum } from './weighted-sum.ts';

const NEVER = new Set(['BG', 'GB', 'KN', 'NK', 'NT', 'TN', 'ZZ']);

/** A British national insurance number by its form and the prefixes that are never given out. */
export function isNationalInsuranceNumber(value: string): boolean {
  if (!/^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(value)) return false;
  return !NEVER.has(value.slice(0, 2));
}

/** A British NHS number: 10 digits, modulo 11. */
export function isNhsNumber(value: string): boolean {
  if (!/^\d{10}$/.test(value)) return false;
  const check = 11 - (weightedSum(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return check !== 10 && check % 11 === digitAt(value, 9);
}
