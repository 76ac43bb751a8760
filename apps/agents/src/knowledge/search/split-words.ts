/**
 * Returns the normalized words of a text in order: in lower case, without accents, and with
 * compatibility forms replaced. Text in scripts without spaces is split into overlapping pairs of
 * characters. No rule depends on the language, because one company's documents are in several
 * languages.
 */
export const splitWords = (text: string): string[] => {
  const lower = text.toLowerCase();
  // Fast path for ASCII text; speed matters, because every search splits the texts of all its
  // candidates.
  if (ASCII.test(lower)) return lower.match(PLAIN_RUN)?.map(cut) ?? [];
  const words: string[] = [];
  for (const run of fold(lower).match(RUN) ?? []) {
    if (STARTS_UNSPACED.test(run)) pushPairs(words, run);
    else words.push(cut(run));
  }
  return words;
};

/**
 * Returns the base of a word: its first five characters, which inflected forms share in many
 * languages, and `*`. A shorter word is its own base.
 */
export const baseOf = (word: string): string =>
  word.length < BASE_LENGTH ? word : `${word.slice(0, BASE_LENGTH)}*`;

const BASE_LENGTH = 5;

/**
 * Returns true for words that are also indexed in full, because the first five characters of a long
 * word are too unspecific.
 */
export const isLong = (word: string): boolean => word.length >= LONG_LENGTH;

const LONG_LENGTH = 8;
/**
 * Length to which index words are truncated, in UTF-16 units. Longer words are mostly code or
 * extraction errors.
 */
const LENGTH_MAX = 64;

const cut = (word: string): string => (word.length > LENGTH_MAX ? word.slice(0, LENGTH_MAX) : word);

/**
 * Removes accents and replaces compatibility forms. The result is recomposed (NFC), because a
 * decomposed Korean syllable would count as three letters.
 */
const fold = (lower: string): string =>
  lower.replaceAll('ß', 'ss').normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC');

const ASCII = /^\p{ASCII}*$/u;
const PLAIN_RUN = /[a-z0-9]+/g;
/**
 * Accents of Latin, Greek and Cyrillic letters. In other scripts combining marks belong to the
 * letters.
 */
const ACCENT = /[\u0300-\u036f]/g;

const UNSPACED_SCRIPT = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]`;
const RUN = new RegExp(
  String.raw`${UNSPACED_SCRIPT}+|[[\p{L}\p{N}\p{M}]--${UNSPACED_SCRIPT}]+`,
  'gv',
);
const STARTS_UNSPACED = new RegExp(`^${UNSPACED_SCRIPT}`, 'v');

const pushPairs = (words: string[], run: string): void => {
  const characters = [...run];
  if (characters.length === 1) words.push(run);
  for (let index = 0; index + 1 < characters.length; index += 1)
    words.push(characters[index]! + characters[index + 1]!);
};
