import type { Category } from '../span.ts';

type Normaliser = (value: string) => string;

const normaliseText: Normaliser = (value) =>
  fold(value).replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** Makes `john_smith` equal to John Smith, because a participant name contains no spaces. */
const normalisePerson: Normaliser = (value) => normaliseText(value.replaceAll(/[_-]+/g, ' '));

const normaliseDigits: Normaliser = (value) => fold(value).replaceAll(/\P{Nd}+/gu, '');

const normaliseCode: Normaliser = (value) =>
  fold(value)
    .replaceAll(/[^\p{L}\p{Nd}]+/gu, '')
    .toUpperCase();

function fold(value: string): string {
  return value.normalize('NFKC');
}

const keepUnchanged: Normaliser = (value) => value;

const NORMALISERS: Readonly<Record<Category, Normaliser>> = {
  PERSON: normalisePerson,
  EMAIL: (value) => value.toLowerCase(),
  PHONE: normaliseDigits,
  ADDRESS: normaliseText,
  LOCATION: normaliseText,
  ORG: normaliseText,
  DATE_OF_BIRTH: normaliseText,
  NATIONAL_ID: normaliseCode,
  TAX_ID: normaliseCode,
  PASSPORT: normaliseCode,
  DRIVER_LICENSE: normaliseCode,
  CREDIT_CARD: normaliseDigits,
  IBAN: normaliseCode,
  BANK_ACCOUNT: normaliseCode,
  IP: (value) => value.toLowerCase(),
  MAC: normaliseCode,
  // Differences in case or punctuation make different values of these categories.
  URL_CREDENTIALS: keepUnchanged,
  CRYPTO: keepUnchanged,
  SECRET: keepUnchanged,
};

/**
 * Returns the same text for spellings that differ only in what the category ignores, such as case
 * or punctuation. Not empty for a non-empty value.
 */
export function normaliseValue(category: Category, value: string): string {
  const bareValue = withoutBrackets(value);
  const normalised = NORMALISERS[category](bareValue);
  return normalised === '' ? bareValue : normalised;
}

function withoutBrackets(value: string): string {
  let margin = 0;
  while (value.charAt(margin) === '[' && value.charAt(value.length - 1 - margin) === ']')
    margin += 1;
  return value.length > 2 * margin ? value.slice(margin, value.length - margin) : value;
}
