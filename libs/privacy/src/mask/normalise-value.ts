import type { Category } from '../span.ts';

type Normalise = (value: string) => string;

const ofLetters: Normalise = (value) => fold(value).replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** Participants may be named `john_smith` where the text has John Smith. */
const ofPerson: Normalise = (value) => ofLetters(value.replaceAll(/[_-]+/g, ' '));

const ofDigits: Normalise = (value) => fold(value).replaceAll(/\P{Nd}+/gu, '');

const ofCode: Normalise = (value) =>
  fold(value)
    .replaceAll(/[^\p{L}\p{Nd}]+/gu, '')
    .toUpperCase();

function fold(value: string): string {
  return value.normalize('NFKC');
}

const asWritten: Normalise = (value) => value;

const NORMALISE: Readonly<Record<Category, Normalise>> = {
  PERSON: ofPerson,
  EMAIL: (value) => value.toLowerCase(),
  PHONE: ofDigits,
  ADDRESS: ofLetters,
  LOCATION: ofLetters,
  ORG: ofLetters,
  DATE_OF_BIRTH: ofLetters,
  NATIONAL_ID: ofCode,
  TAX_ID: ofCode,
  PASSPORT: ofCode,
  DRIVER_LICENSE: ofCode,
  CREDIT_CARD: ofDigits,
  IBAN: ofCode,
  BANK_ACCOUNT: ofCode,
  IP: (value) => value.toLowerCase(),
  MAC: ofCode,
  // Case-sensitive: different spellings are different values.
  URL_CREDENTIALS: asWritten,
  CRYPTO: asWritten,
  SECRET: asWritten,
};

/** Returns the same text for all spellings of one value; never empty for a non-empty value. */
export function normaliseValue(category: Category, value: string): string {
  const bare = withoutBrackets(value);
  const normalised = NORMALISE[category](bare);
  return normalised === '' ? bare : normalised;
}

function withoutBrackets(value: string): string {
  let margin = 0;
  while (value.charAt(margin) === '[' && value.charAt(value.length - 1 - margin) === ']')
    margin += 1;
  return value.length > 2 * margin ? value.slice(margin, value.length - margin) : value;
}
