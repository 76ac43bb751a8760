/** What personal data and secrets are called in certificates. */
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

/** A stretch of a text, in UTF-16 code units; `end` is exclusive. */
export type Span = { start: number; end: number; category: Category };

/** How one text is read. */
export type ReadOptions = {
  /**
   * For keys and other identifiers, which are no prose: names of persons, places and organisations
   * are found only where the workspace lists them.
   */
  withoutNames?: boolean | undefined;
};
