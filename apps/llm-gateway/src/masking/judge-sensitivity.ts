import type { Category, CategoryCounts } from '@witan/privacy';

/** Credentials and identity documents: a single value makes a call sensitive. */
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
/**
 * Categories that identify a person. A short text with many of them counts as a record of people.
 */
const PERSONAL_CATEGORIES: readonly Category[] = [
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
/** Maximum length of text per personal value in a record of people, in UTF-16 units. */
const RECORD_DENSITY = 250;

/**
 * Returns whether a call should stay local: it has a high-risk value, or it is a record of people,
 * with at least three values of two categories and one value per 250 characters. For everything
 * else masking suffices.
 */
export const isSensitive = (findings: CategoryCounts, length: number): boolean => {
  if (HIGH_RISK.some((category) => findings[category])) return true;
  const counts = PERSONAL_CATEGORIES.map((category) => findings[category]?.values ?? 0);
  const values = counts.reduce((sum, count) => sum + count, 0);
  const categories = counts.filter((count) => count > 0).length;
  return (
    values >= RECORD_VALUES && categories >= RECORD_CATEGORIES && values * RECORD_DENSITY >= length
  );
};
