import { splitWords } from '../../../knowledge/search/split-words.ts';
import { stemWord } from './stem-word.ts';
import {
  ENGLISH_FUNCTION_WORDS,
  ENGLISH_STOP_WORDS,
  FOREIGN_FUNCTION_WORDS,
  NEGATIONS,
} from './stop-words.ts';

/** What a text is compared by. */
export type Terms = {
  /** Its telling words in their order, negations among them, English ones without endings. */
  terms: readonly string[];
  /** How many of its words say that something is not so; 0 in languages other than English. */
  negationCount: number;
};

/**
 * The terms of a text (C2). Of a text that has nothing but stop words all words are terms. A text
 * whose function words are rather those of another language than English loses those, and keeps
 * its words as they are: inflections of other languages are known by their letters alone.
 */
export const splitTerms = (text: string): Terms => {
  const folded = foldText(text);
  const runs = folded.match(WORD) ?? [];
  const words = DENSE.test(folded) ? runs.flatMap(splitDense) : runs;
  return isEnglish(words) ? splitEnglish(words) : splitForeign(words);
};

/** What makes two texts the same: no compatibility forms, no case, one apostrophe. */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(/[’ʼ]/g, "'").trim();

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:'\p{L}+)?/gu;

/** Scripts without spaces between words: they are read as pairs of characters. */
const DENSE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

const splitDense = (word: string): string[] => (DENSE.test(word) ? splitWords(word) : [word]);

/** By different words; single letters are initials as often as words of another language. */
const isEnglish = (words: readonly string[]): boolean => {
  const different = [...new Set(words)].filter((word) => word.length > 1);
  const foreign = countOf(different, isForeign);
  return foreign <= countOf(different, (word) => ENGLISH_FUNCTION_WORDS.has(word)) + CHANCE;
};

/** English headlines without an English function word may have one that is another language's. */
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

/** "isn't" is a not, "council's" a council, "we've" a we. */
const expand = (word: string): string => {
  if (word.endsWith("n't")) return 'not';
  return word.replace(/'(?:s|m|d|re|ve|ll)$/, '');
};

/** "l'avis", "dell'arte": the article is no part of the word. */
const dropElision = (word: string): string => word.replace(/^\p{L}{1,4}'/u, '');

/** Without the words that say nothing, unless there are no others. */
const dropUnless = (words: string[], isStopWord: (word: string) => boolean): string[] => {
  const contentWords = words.filter((word) => !isStopWord(word));
  return contentWords.length > 0 ? contentWords : words;
};

const countOf = (words: readonly string[], isIt: (word: string) => boolean): number =>
  words.reduce((count, word) => count + Number(isIt(word)), 0);
