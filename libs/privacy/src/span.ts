export const CATEGORIES = [
  'PERSON',
  'EMAIL',
  'PHONE',
  'ADDRESS',
  'LOCATION',
  'ORG',
  'DATE_OF_BIRTH',
  'NATIONAL_ID',
  'TAX_ID',
  'PASSPORT',
  'DRIVER_LICENSE',
  'CREDIT_CARD',
  'IBAN',
  'BANK_ACCOUNT',
  'IP',
  'MAC',
  'URL_CREDENTIALS',
  'CRYPTO',
  'SECRET',
] as const;

export type Category = (typeof CATEGORIES)[number];

/** Offsets in UTF-16 code units; `end` is exclusive. */
export type Span = { start: number; end: number; category: Category };

export type ReadOptions = {
  /** Omits names, except for terms of the workspace. Used for identifiers such as JSON keys. */
  withoutNames?: boolean | undefined;
};
