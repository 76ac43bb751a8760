import { isLuhn } from '../structured/luhn.ts';
import { isMonthDayAt } from './weighted-sum.ts';

/** Checks the date and the check digit. In a samordningsnummer 60 is added to the day. */
export function isSwedishPersonnummer(value: string): boolean {
  if (!/^(?:\d{10}|(?:19|20)\d{10})$/.test(value)) return false;
  const tenDigits = value.slice(-10);
  const day = Number(tenDigits.slice(4, 6));
  const withCalendarDay =
    day > 60 ? tenDigits.slice(0, 4) + String(day - 60).padStart(2, '0') : tenDigits;
  return isMonthDayAt(withCalendarDay, 2, 4) && isLuhn(tenDigits);
}
