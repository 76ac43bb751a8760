import type { Category, CategoryCounts } from '@witan/privacy';

/** One of these is enough: they open accounts, prove who somebody is, or let somebody in. */
const HIGH_RISK: readonly Category[] = [
  'BANK_ACCOUNT',
  'CREDIT_CARD',
  'DATE_OF_BIRTH',
  'DRIVER_LICENSE',
  'IBAN',
  'NATIONAL_ID',
  'PASSPORT',
  'SECRET',
  'TAX_ID',
  'URL_CREDENTIALS',
];
/** What tells who or where somebody is. Many of them in little text are a record of people. */
const PERSONAL: readonly Category[] = [
  'ADDRESS',
  'CRYPTO',
  'EMAIL',
  'IP',
  'MAC',
  'PERSON',
  'PHONE',
];

const RECORD_VALUES = 3;
const RECORD_CATEGORIES = 2;
/** UTF-16 units of text for each value, at most. */
const RECORD_DENSITY = 250;

/**
 * Whether a call is better kept on the machine, by rules that can be read: it holds something
 * grave, or it is a record of people, with at least three values of two categories and one for
 * every 250 characters. Everything else is masked and that suffices.
 */
export const isSensitive = (findings: CategoryCounts, length: number): boolean => {
  if (HIGH_RISK.some((category) => findings[category])) return true;
  const counts = PERSONAL.map((category) => findings[category]?.values ?? 0);
  const values = counts.reduce((sum, count) => sum + count, 0);
  const categories = counts.filter((count) => count > 0).length;
  return (
    values >= RECORD_VALUES && categories >= RECORD_CATEGORIES && values * RECORD_DENSITY >= length
  );
};
