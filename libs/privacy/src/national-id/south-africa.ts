import { isLuhn } from '../structured/luhn.ts';
import { isMonthDayAt } from './weighted-sum.ts';

/** A South African identity number: date of birth, citizenship 0 to 2, Luhn. */
export function isSouthAfricanId(value: string): boolean {
  return /^\d{10}[012]\d{2}$/.test(value) && isMonthDayAt(value, 2, 4) && isLuhn(value);
}
