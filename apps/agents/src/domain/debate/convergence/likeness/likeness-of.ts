import { cosineOf } from './sparse-vector.ts';
import type { TextVector } from './to-text-vector.ts';

/**
 * Returns the lexical similarity of two texts, 0 to 1: the mean of the cosines of their terms and
 * of their character n-grams. Identical texts and two texts without words score 1; a text with and
 * one without words score 0.
 */
export const likenessOf = (one: TextVector, other: TextVector): number => {
  if (one.folded === other.folded) return 1;
  const isOneEmpty = one.words.keys.length === 0;
  const isOtherEmpty = other.words.keys.length === 0;
  if (isOneEmpty || isOtherEmpty) return Number(isOneEmpty && isOtherEmpty);
  return (cosineOf(one.words, other.words) + cosineOf(one.grams, other.grams)) / 2;
};

/**
 * Returns the similarity, halved if exactly one of two sentences is negated. Only for single
 * sentences: in longer texts the parity of negations is random and the penalty makes results worse
 * (docs/convergence.md).
 */
export const guardedLikenessOf = (one: TextVector, other: TextVector): number => {
  const areSentences = one.isSentence && other.isSentence;
  const isGuarded = areSentences && one.isNegated !== other.isNegated;
  return likenessOf(one, other) * (isGuarded ? GUARD : 1);
};

const GUARD = 0.5;
