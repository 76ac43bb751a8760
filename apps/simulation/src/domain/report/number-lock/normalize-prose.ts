const UNSEEN = /(?!\s)[\p{C}\p{Me}\p{Variation_Selector}]/gu;
/** "1. " or "- " at the beginning of an entry, because displayed lists are numbered. */
const ENUMERATOR = /^\s*(?:\d{1,2}[.)]|[-*•])\s+/;

/**
 * Returns the form of prose that is both checked and displayed, so that no number is read
 * differently than it looks: full-width and circled digits, fractions and superscripts become plain
 * digits, invisible characters are removed.
 */
export const normalizeProse = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .replaceAll(/\s+/gu, ' ')
    .replace(ENUMERATOR, '')
    .trim();
