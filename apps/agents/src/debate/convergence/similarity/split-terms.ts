import { splitWords } from '../../../knowledge/search/split-words.ts';
import { stemWord } from './stem-word.ts';
import { FUNCTION_WORDS } from '../../../knowledge/search/function-words.ts';

export type Terms = {
  terms: readonly string[];
  negationCount: number;
};

/**
 * Splits a text into terms without stop words; a text that consists only of stop words keeps them.
 * The words of an English text are stemmed; those of other texts are not, because n-grams match
 * their inflected forms.
 */
export const splitTerms = (text: string): Terms => {
  const folded = foldText(text);
  const runs = folded.match(WORD) ?? [];
  const words = SPACELESS_SCRIPT.test(folded) ? runs.flatMap(splitSpaceless) : runs;
  return isEnglish(words) ? splitEnglish(words) : splitForeign(words);
};

export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(/[’ʼ]/g, "'").trim();

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:'\p{L}+)?/gu;

const SPACELESS_SCRIPT =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

const splitSpaceless = (word: string): string[] =>
  SPACELESS_SCRIPT.test(word) ? splitWords(word) : [word];

/**
 * Returns true if the text has at least as many distinct English function words as foreign ones,
 * not counting `FOREIGN_WORDS_TOLERATED`. Single letters are ignored, because they are often
 * initials.
 */
const isEnglish = (words: readonly string[]): boolean => {
  const different = [...new Set(words)].filter((word) => word.length > 1);
  const foreign = countOf(different, isForeign);
  return (
    foreign <=
    countOf(different, (word) => ENGLISH_FUNCTION_WORDS.has(word)) + FOREIGN_WORDS_TOLERATED
  );
};

/**
 * Number of foreign function words that an English text may contain, because even a headline
 * without any English function word can contain one by chance.
 */
const FOREIGN_WORDS_TOLERATED = 1;

const isForeign = (word: string): boolean =>
  FOREIGN_FUNCTION_WORDS.has(ASCII_LETTERS.test(word) ? word : dropAccents(word));

const ASCII_LETTERS = /^[a-z]*$/;

const dropAccents = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '');

const splitEnglish = (words: readonly string[]): Terms => {
  const plain = words.map((word) => (word.includes("'") ? expand(word) : word));
  const terms = dropStopWords(plain, (word) => ENGLISH_STOP_WORDS.has(word)).map(stemWord);
  return { terms, negationCount: countOf(plain, (word) => NEGATIONS.has(word)) };
};

const splitForeign = (words: readonly string[]): Terms => ({
  terms: dropStopWords(words.map(dropElision), isForeign),
  negationCount: 0,
});

/**
 * Reduces a contraction or a possessive to one word: "isn't" to "not", "council's" to "council",
 * "we've" to "we".
 */
const expand = (word: string): string => {
  if (word.endsWith("n't")) return 'not';
  return word.replace(/'(?:s|m|d|re|ve|ll)$/, '');
};

const dropElision = (word: string): string => word.replace(/^\p{L}{1,4}'/u, '');

const dropStopWords = (words: string[], isStopWord: (word: string) => boolean): string[] => {
  const contentWords = words.filter((word) => !isStopWord(word));
  return contentWords.length > 0 ? contentWords : words;
};

const countOf = (words: readonly string[], matches: (word: string) => boolean): number =>
  words.reduce((count, word) => count + Number(matches(word)), 0);

/** Negations, which are not stop words, because they reverse the meaning of a sentence. */
const NEGATIONS: ReadonlySet<string> = toSet(
  'not no never none nobody nothing nowhere neither nor without cannot',
);

/**
 * Words that are dropped from English texts. Other function words are retained: their weights are
 * low anyway, and some distinguish meanings, such as "before" and "after".
 */
const ENGLISH_STOP_WORDS: ReadonlySet<string> = toSet(`
  a an and are as at be by for from has have in is it of on or that the this to was were will with
`);

const ENGLISH_FUNCTION_WORDS: ReadonlySet<string> = toSet(`
  a about after all also am an and any are as at be because been but by can could did do does for
  from had has have he her his how i if in into is it its may me might must my of on or our shall
  she should so some such than that the their them then there these they this those to too us very
  was we were what when where which who whom whose why will with would you your
`);

const FOREIGN_NEGATIONS = toSet('nicht pas no non sin nao sem niet');

const FOREIGN_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [...FUNCTION_WORDS].filter(
    (word) =>
      !ENGLISH_FUNCTION_WORDS.has(word) && !NEGATIONS.has(word) && !FOREIGN_NEGATIONS.has(word),
  ),
);

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
