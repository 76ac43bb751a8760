/** Control characters, zero-width characters, and enclosing marks. */
const UNSEEN = /(?!\s)[\p{C}\p{Me}\p{Variation_Selector}]/gu;
/** "1. " or "- " at the beginning of an entry, because lists are numbered when shown. */
const ENUMERATOR = /^\s*(?:\d{1,2}[.)]|[-*•])\s+/;

/**
 * Returns prose in the form that is both checked and shown, so that no numeral is read differently
 * than it is seen: full-width and circled digits, fractions and superscripts become plain ones, and
 * invisible characters are removed.
 */
export const normalizeProse = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .replaceAll(/\s+/gu, ' ')
    .replace(ENUMERATOR, '')
    .trim();
