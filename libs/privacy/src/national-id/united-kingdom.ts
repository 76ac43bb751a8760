import { digitAt, weightedSum } from './weighted-sum.ts';

const UNUSED_PREFIXES = new Set(['BG', 'GB', 'KN', 'NK', 'NT', 'TN', 'ZZ']);

export function isBritishNino(value: string): boolean {
  if (!/^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(value)) return false;
  return !UNUSED_PREFIXES.has(value.slice(0, 2));
}

export function isNhsNumber(value: string): boolean {
  if (!/^\d{10}$/.test(value)) return false;
  const check = 11 - (weightedSum(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return check !== 10 && check % 11 === digitAt(value, 9);
}
