/**
 * The words of a text in their order, alike for everybody who writes them: lower case, without
 * accents, compatibility forms as what they stand for. Scripts that put no space between words are
 * cut into pairs of characters. Knows no language: a company's documents have several.
 */
export const splitWords = (text: string): string[] => {
  const lower = text.toLowerCase();
  // Most words are plain, and a chunk's are read for every search that meets it.
  if (ASCII.test(lower)) return lower.match(PLAIN_RUN)?.map(cut) ?? [];
  const words: string[] = [];
  for (const run of fold(lower).match(RUN) ?? []) {
    if (DENSE.test(run)) pushPairs(words, run);
    else words.push(cut(run));
  }
  return words;
};

/**
 * What a word is found by: its first five letters, which its inflected forms share in most
 * languages most of the time. Shorter words are found as they are.
 */
export const baseOf = (word: string): string =>
  word.length < BASE_LENGTH ? word : `${word.slice(0, BASE_LENGTH)}*`;

const BASE_LENGTH = 5;

/** True for a word of which its base says too little: it is found as it is, too. */
export const isLong = (word: string): boolean => word.length >= LONG_LENGTH;

const LONG_LENGTH = 8;
/** Nobody asks for more of a word; what is longer is code or a mistake. */
const LENGTH_MAX = 64;

const cut = (word: string): string => (word.length > LENGTH_MAX ? word.slice(0, LENGTH_MAX) : word);

/** Composed again, because a Korean syllable is not three letters. */
const fold = (lower: string): string =>
  lower.replaceAll('ß', 'ss').normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC');

const ASCII = /^\p{ASCII}*$/u;
const PLAIN_RUN = /[a-z0-9]+/g;
/** Of Latin, Greek and Cyrillic letters; marks of other scripts are letters to their readers. */
const ACCENT = /[\u0300-\u036f]/g;

/** Scripts without spaces between words. */
const NO_SPACES = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]`;
const RUN = new RegExp(String.raw`${NO_SPACES}+|[[\p{L}\p{N}\p{M}]--${NO_SPACES}]+`, 'gv');
const DENSE = new RegExp(`^${NO_SPACES}`, 'v');

const pushPairs = (words: string[], run: string): void => {
  const signs = [...run];
  if (signs.length === 1) words.push(run);
  for (let at = 0; at + 1 < signs.length; at += 1) words.push(signs[at]! + signs[at + 1]!);
};
