import { cosineOf } from './to-text-vector.ts';
import type { TextVector } from './to-text-vector.ts';

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
 * is negated. Longer texts get no penalty: whether their number of negations is odd is random, and
 * the penalty would make results worse (docs/convergence.md).
 */
export const negationAwareSimilarityOf = (one: TextVector, other: TextVector): number => {
  const areSentences = one.isSentence && other.isSentence;
  const differInNegation = areSentences && one.isNegated !== other.isNegated;
  return similarityOf(one, other) * (differInNegation ? NEGATION_PENALTY : 1);
};

const NEGATION_PENALTY = 0.5;
