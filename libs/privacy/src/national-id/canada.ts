import { isLuhn } from '../structured/luhn.ts';

export function isCanadianSin(value: string): boolean {
  return /^[0-79]\d{8}$/.test(value) && value !== '000000000' && isLuhn(value);
}
