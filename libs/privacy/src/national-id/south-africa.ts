import { isLuhn } from '../structured/luhn.ts';
import { isMonthDayAt } from './weighted-sum.ts';

/** Identity number: date of birth, citizenship 0 to 2, Luhn check digit. */
export function isSouthAfricanId(value: string): boolean {
  return /^\d{10}[012]\d{2}$/.test(value) && isMonthDayAt(value, 2, 4) && isLuhn(value);
}
