const INVISIBLE_CHARACTERS = /(?!\s)[\p{C}\p{Me}\p{Variation_Selector}]/gu;
/**
 * Matches "1. " or "- " at the beginning of a list entry. It is removed, because the display
 * numbers the entries.
 */
const ENUMERATOR = /^\s*(?:\d{1,2}[.)]|[-*•])\s+/;

/**
 * Returns the form of prose that is both checked and displayed, so that a number is read as it
 * looks: full-width and circled digits, fractions and superscripts become plain digits, and
 * invisible characters are removed.
 */
export const normalizeProse = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(INVISIBLE_CHARACTERS, '')
    .replaceAll(/\s+/gu, ' ')
    .replace(ENUMERATOR, '')
    .trim();
