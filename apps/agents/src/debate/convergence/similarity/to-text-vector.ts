import { foldText, splitTerms } from './split-terms.ts';
import { BLOCK_COUNT, DOCUMENT_COUNTS } from './document-counts.ts';

export type TextVector = {
  /** Normalized text; texts with equal normalized text have similarity 1. */
  folded: string;
  words: SparseVector;
  grams: SparseVector;
  isNegated: boolean;
  isSentence: boolean;
};

/**
 * Returns the vectors of a text. A term that occurs f times weighs (1 + ln f) times its rarity, a
 * character n-gram (with word boundaries) 1 + ln f. Keys are 32-bit hashes, whose collisions are
 * negligible.
 */
export const toTextVector = (text: string): TextVector => {
  const folded = foldText(text);
  const { terms, negationCount } = splitTerms(text);
  return {
    folded,
    words: weighTerms(terms),
    grams: weighGrams(terms),
    isNegated: negationCount % 2 === 1,
    isSentence: !SENTENCE_BREAK.test(folded),
  };
};

const SENTENCE_BREAK = /[.!?…]["')\]]*\s|[。！？]./u;
const GRAM_MIN = 3;
const GRAM_MAX = 5;

const weighTerms = (terms: readonly string[]): SparseVector => {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const rows = [...counts].map(([term, count]) => {
    return { key: hashOf(term), weight: (1 + Math.log(count)) * rarityOf(term) };
  });
  rows.sort((one, other) => one.key - other.key);
  return toSparseVector(
    Int32Array.from(rows, ({ key }) => key),
    Float64Array.from(rows, ({ weight }) => weight),
  );
};

/**
 * Counts n-grams by sorting their hashes, because a Map of thousands of n-grams would dominate the
 * cost of a vector.
 */
const weighGrams = (terms: readonly string[]): SparseVector => {
  const grams = hashGrams(terms).sort();
  const keys = new Int32Array(grams.length);
  const weights = new Float64Array(grams.length);
  let size = 0;
  for (let index = 0; index < grams.length; size += 1) {
    const start = index;
    while (index < grams.length && grams[index] === grams[start]) index += 1;
    keys[size] = grams[start]!;
    weights[size] = 1 + Math.log(index - start);
  }
  return toSparseVector(keys.slice(0, size), weights.slice(0, size));
};

const hashGrams = (terms: readonly string[]): Int32Array<ArrayBuffer> => {
  const text = ` ${terms.join('  ')} `;
  const grams = new Int32Array(text.length * (GRAM_MAX - GRAM_MIN + 1));
  let size = 0;
  let start = 0;
  for (const term of terms) {
    const end = start + term.length + 2;
    for (; start + GRAM_MIN <= end; start += 1) {
      let hash = OFFSET;
      for (let index = start; index < Math.min(end, start + GRAM_MAX); index += 1) {
        hash = addToHash(hash, text.charCodeAt(index));
        if (index - start + 1 >= GRAM_MIN) grams[size++] = hash;
      }
    }
    start = end;
  }
  return grams.slice(0, size);
};

const hashOf = (term: string): number => {
  let hash = OFFSET;
  for (let index = 0; index < term.length; index += 1)
    hash = addToHash(hash, term.charCodeAt(index));
  return hash;
};

const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

const addToHash = (hash: number, unit: number): number => Math.imul(hash ^ unit, PRIME);

/**
 * Returns the inverse document frequency of a term, ln((1 + N) / (1 + df)) + 1, from the counts in
 * `document-counts.ts`; df is 0 for a term without a count. The texts of the debate are not
 * counted: terms of their common topic would get almost no weight, and an additional participant
 * would change the similarity of two others.
 */
export const rarityOf = (term: string): number => RARITIES.get(term) ?? UNKNOWN_RARITY;

const toRarity = (count: number): number => Math.log((1 + BLOCK_COUNT) / (1 + count)) + 1;

const UNKNOWN_RARITY = toRarity(0);

const readRarities = (table: string): ReadonlyMap<string, number> => {
  const rarities = new Map<string, number>();
  let rarity = UNKNOWN_RARITY;
  for (const word of table.trim().split(/\s+/)) {
    if (word.endsWith(':')) rarity = toRarity(Number(word.slice(0, -1)));
    else rarities.set(word, rarity);
  }
  return rarities;
};

const RARITIES = readRarities(DOCUMENT_COUNTS);

/**
 * Vector with ascending keys. Sums are computed in this order, because another order could round
 * them differently.
 */
type SparseVector = {
  keys: Int32Array;
  weights: Float64Array;
  norm: number;
};

const toSparseVector = (keys: Int32Array, weights: Float64Array): SparseVector => {
  let squares = 0;
  for (const weight of weights) squares += weight * weight;
  return { keys, weights, norm: Math.sqrt(squares) };
};

/**
 * Returns the cosine of two vectors with non-negative weights, 0 to 1; 0 if either vector is empty.
 */
const cosineOf = (one: SparseVector, other: SparseVector): number => {
  if (one.norm === 0 || other.norm === 0) return 0;
  let sum = 0;
  let left = 0;
  let right = 0;
  while (left < one.keys.length && right < other.keys.length) {
    const keyDifference = one.keys[left]! - other.keys[right]!;
    if (keyDifference === 0) sum += one.weights[left]! * other.weights[right]!;
    if (keyDifference <= 0) left += 1;
    if (keyDifference >= 0) right += 1;
  }
  return Math.min(1, sum / (one.norm * other.norm));
};

/**
 * Returns the lexical similarity of two texts, 0 to 1: the mean of the cosine of their term vectors
 * and the cosine of their n-gram vectors. Texts that are equal after normalization score 1, as do
 * two texts without words; a text with words and a text without words score 0.
 */
export const similarityOf = (one: TextVector, other: TextVector): number => {
  if (one.folded === other.folded) return 1;
  const isFirstEmpty = one.words.keys.length === 0;
  const isSecondEmpty = other.words.keys.length === 0;
  if (isFirstEmpty || isSecondEmpty) return Number(isFirstEmpty && isSecondEmpty);
  return (cosineOf(one.words, other.words) + cosineOf(one.grams, other.grams)) / 2;
};

/**
 * Returns the similarity of two texts, halved if both are single sentences and exactly one of them
 * has an odd number of negations. Longer texts get no penalty: whether their number of negations is
 * odd is random, and the penalty would make results worse (docs/convergence.md).
 */
export const negationAwareSimilarityOf = (one: TextVector, other: TextVector): number => {
  const areSentences = one.isSentence && other.isSentence;
  const differInNegation = areSentences && one.isNegated !== other.isNegated;
  return similarityOf(one, other) * (differInNegation ? NEGATION_PENALTY : 1);
};

const NEGATION_PENALTY = 0.5;
