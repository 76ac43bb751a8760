import { splitWords } from '../../../knowledge/search/split-words.ts';
import { stemWord } from './stem-word.ts';
import {
  ENGLISH_FUNCTION_WORDS,
  ENGLISH_STOP_WORDS,
  FOREIGN_FUNCTION_WORDS,
  NEGATIONS,
} from './stop-words.ts';

/** The terms of a text. */
export type Terms = {
  /** Content words and negations in order; English words are stemmed. */
  terms: readonly string[];
  /** Number of English negations; 0 in other languages. */
  negationCount: number;
};

/**
 * Splits a text into terms. If it has stop words only, all of them are terms. In other languages
 * than English, function words are dropped and nothing is stemmed; n-grams match inflected forms
 * there.
 */
export const splitTerms = (text: string): Terms => {
  const folded = foldText(text);
  const runs = folded.match(WORD) ?? [];
  const words = DENSE.test(folded) ? runs.flatMap(splitDense) : runs;
  return isEnglish(words) ? splitEnglish(words) : splitForeign(words);
};

/** Normalizes compatibility forms, case, apostrophes and outer white space. */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(/[’ʼ]/g, "'").trim();

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:'\p{L}+)?/gu;

/** Scripts without spaces between words, split into character pairs. */
const DENSE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

const splitDense = (word: string): string[] => (DENSE.test(word) ? splitWords(word) : [word]);

/**
 * Compares counts of distinct function words. Single letters are ignored, because they are often
 * initials.
 */
const isEnglish = (words: readonly string[]): boolean => {
  const different = [...new Set(words)].filter((word) => word.length > 1);
  const foreign = countOf(different, isForeign);
  return foreign <= countOf(different, (word) => ENGLISH_FUNCTION_WORDS.has(word)) + CHANCE;
};

/** Tolerates one foreign function word, which occurs in English headlines by chance. */
const CHANCE = 1;

const isForeign = (word: string): boolean =>
  FOREIGN_FUNCTION_WORDS.has(PLAIN.test(word) ? word : dropAccents(word));

const PLAIN = /^[a-z]*$/;

const dropAccents = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '');

const splitEnglish = (words: readonly string[]): Terms => {
  const plain = words.map((word) => (word.includes("'") ? expand(word) : word));
  const terms = dropUnless(plain, (word) => ENGLISH_STOP_WORDS.has(word)).map(stemWord);
  return { terms, negationCount: countOf(plain, (word) => NEGATIONS.has(word)) };
};

const splitForeign = (words: readonly string[]): Terms => ({
  terms: dropUnless(words.map(dropElision), isForeign),
  negationCount: 0,
});

/** Maps "isn't" to "not", "council's" to "council", "we've" to "we". */
const expand = (word: string): string => {
  if (word.endsWith("n't")) return 'not';
  return word.replace(/'(?:s|m|d|re|ve|ll)$/, '');
};

/** Drops the article of "l'avis" and "dell'arte". */
const dropElision = (word: string): string => word.replace(/^\p{L}{1,4}'/u, '');

/** Drops stop words unless there are no other words. */
const dropUnless = (words: string[], isStopWord: (word: string) => boolean): string[] => {
  const contentWords = words.filter((word) => !isStopWord(word));
  return contentWords.length > 0 ? contentWords : words;
};

const countOf = (words: readonly string[], isIt: (word: string) => boolean): number =>
  words.reduce((count, word) => count + Number(isIt(word)), 0);
