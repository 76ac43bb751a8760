import { digitAt } from './weighted-sum.ts';

const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

export function isAadhaar(value: string): boolean {
  if (!/^[2-9]\d{11}$/.test(value)) return false;
  let check = 0;
  for (let i = 0; i < 12; i++) {
    let digit = digitAt(value, 11 - i);
    for (let repetition = 0; repetition < i % 8; repetition++) digit = PERMUTATION[digit] ?? 0;
    check = dihedralProduct(check, digit);
  }
  return check === 0;
}

/** Checks the form of a PAN. Its fourth letter must be a known type of holder. */
export function isIndianPan(value: string): boolean {
  return /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/.test(value);
}

function dihedralProduct(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : ((a + b - 5) % 5) + 5;
  return b < 5 ? ((a - 5 - b + 5) % 5) + 5 : (a - b + 5) % 5;
}
