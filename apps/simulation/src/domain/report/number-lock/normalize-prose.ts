/** Controls, what has no width, and what is drawn around or over other characters. */
const UNSEEN = /(?!\s)[\p{C}\p{Me}\p{Variation_Selector}]/gu;
/** "1. " or "- " at the beginning of an entry: lists number themselves. */
const ENUMERATOR = /^\s*(?:\d{1,2}[.)]|[-*•])\s+/;

/**
 * Prose in the form in which it is both checked and shown, so that no numeral is read one way and
 * seen another: full-width and circled digits, fractions and superscripts become plain ones, and
 * what nobody sees is left out.
 */
export const normalizeProse = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .replaceAll(/\s+/gu, ' ')
    .replace(ENUMERATOR, '')
    .trim();
