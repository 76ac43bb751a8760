import { isLuhn } from '../structured/luhn.ts';

/** A Canadian social insurance number: 9 digits, not beginning with 8, Luhn. */
export function isCanadianId(value: string): boolean {
  return /^[0-79]\d{8}$/.test(value) && value !== '000000000' && isLuhn(value);
}
