/**
 * An English word without its inflection (plural and third person, -ed, -ing, a last e, y as i) and
 * without one common ending: a light stemmer in the manner of Harman (1991) and of some steps of
 * Porter (1980). `word` is in lower case.
 */
export const stemWord = (word: string): string => {
  const singular = dropPlural(word);
  if (singular.length <= SHORT) return singular;
  const verb = dropInflection(singular);
  if (verb.length <= SHORT) return verb;
  const stem = dropVowel(verb);
  const ending = ENDINGS.find(
    (one) => stem.endsWith(one) && stem.length >= one.length + STEM_LETTERS_MIN,
  );
  return ending ? stem.slice(0, -ending.length) : stem;
};

/** A word of this many letters has nothing to spare. */
const SHORT = 3;
/** Letters that an ending leaves, or it is none. */
const STEM_LETTERS_MIN = 4;

/** Of what has lost its last e and has i for y; the first that fits goes. */
const ENDINGS =
  'fulness ousness iveness ization ation ement ment ness ful ly li able ible al ive ion'.split(' ');

const dropPlural = (word: string): string => {
  if (word.length <= SHORT || !word.endsWith('s')) return word;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|us|is)$/.test(word)) return word;
  return /(sses|xes|shes|ches|zes)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
};

const dropInflection = (word: string): string => {
  if (word.endsWith('ing')) return restoreStem(word.slice(0, -3)) ?? word;
  if (word.endsWith('ed') && !word.endsWith('eed')) return restoreStem(word.slice(0, -2)) ?? word;
  return word;
};

/** What is left of "hop-p-ing" and "rat-ing" as the word was; undefined: it was no ending. */
const restoreStem = (stem: string): string | undefined => {
  if (stem.length < 2 || !/[aeiouy]/.test(stem)) return undefined;
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
  return /([^aeiouylsz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
};

const dropVowel = (word: string): string => {
  if (word.endsWith('e')) return word.slice(0, -1);
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word;
};
