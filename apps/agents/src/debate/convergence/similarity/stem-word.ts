/**
 * Returns the stem of a lower-case English word: removes inflection (plural and third person, -ed,
 * -ing, final e; y becomes i) and at most one common suffix, except from very short words. It is a
 * light stemmer after Harman (1991) with some steps of Porter (1980).
 */
export const stemWord = (word: string): string => {
  const singular = dropPlural(word);
  if (singular.length <= UNSTEMMED_LENGTH_MAX) return singular;
  const verb = dropInflection(singular);
  if (verb.length <= UNSTEMMED_LENGTH_MAX) return verb;
  const stem = dropVowel(verb);
  const ending = ENDINGS.find(
    (item) => stem.endsWith(item) && stem.length >= item.length + STEM_LETTERS_MIN,
  );
  return ending ? stem.slice(0, -ending.length) : stem;
};

const UNSTEMMED_LENGTH_MAX = 3;
const STEM_LETTERS_MIN = 4;

/**
 * Suffixes in the form that they have after a final e is removed and y is replaced by i. At most
 * one is removed: the first in this list that matches and leaves at least `STEM_LETTERS_MIN`
 * letters.
 */
const ENDINGS =
  'fulness ousness iveness ization ation ement ment ness ful ly li able ible al ive ion'.split(' ');

const dropPlural = (word: string): string => {
  if (word.length <= UNSTEMMED_LENGTH_MAX || !word.endsWith('s')) return word;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|us|is)$/.test(word)) return word;
  return /(sses|xes|shes|ches|zes)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
};

const dropInflection = (word: string): string => {
  if (word.endsWith('ing')) return restoreStem(word.slice(0, -3)) ?? word;
  if (word.endsWith('ed') && !word.endsWith('eed')) return restoreStem(word.slice(0, -2)) ?? word;
  return word;
};

/**
 * Restores the stem of a word without its -ing or -ed: "hopp" becomes "hop", "rat" becomes "rate".
 * Returns undefined if the ending was not a suffix, as in "sing".
 */
const restoreStem = (stem: string): string | undefined => {
  if (stem.length < 2 || !/[aeiouy]/.test(stem)) return undefined;
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
  return /([^aeiouylsz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
};

const dropVowel = (word: string): string => {
  if (word.endsWith('e')) return word.slice(0, -1);
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word;
};
