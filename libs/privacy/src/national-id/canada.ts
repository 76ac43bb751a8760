import { isLuhn } from '../structured/luhn.ts';

/** Social insurance number: 9 digits with a Luhn check digit. */
export function isCanadianId(value: string): boolean {
  return /^[0-79]\d{8}$/.test(value) && value !== '000000000' && isLuhn(value);
}
