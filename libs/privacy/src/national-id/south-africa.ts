import { isLuhn } from '../structured/luhn.ts';
import { isMonthDayAt } from './weighted-sum.ts';

export function isSouthAfricanIdentityNumber(value: string): boolean {
  return /^\d{10}[012]\d{2}$/.test(value) && isMonthDayAt(value, 2, 4) && isLuhn(value);
}
