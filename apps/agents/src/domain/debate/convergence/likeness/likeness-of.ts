import { cosineOf } from './sparse-vector.ts';
import type { TextVector } from './to-text-vector.ts';

/**
 * How like two texts are, 0 to 1, whatever they say: half by words, half by runs of characters
 * (C2). 1 for the same text. A text without a word is like another such and like nothing else.
 */
export const likenessOf = (one: TextVector, other: TextVector): number => {
  if (one.folded === other.folded) return 1;
  const isOneEmpty = one.words.keys.length === 0;
  const isOtherEmpty = other.words.keys.length === 0;
  if (isOneEmpty || isOtherEmpty) return Number(isOneEmpty && isOtherEmpty);
  return (cosineOf(one.words, other.words) + cosineOf(one.grams, other.grams)) / 2;
};

/**
 * The same, halved where one of two sentences says that something is not so and the other does not
 * (C2, polarity guard). Only of sentences: of longer texts the count of negations is odd or even by
 * chance, and the guard tells paraphrases from opposites worse than none (docs/convergence.md).
 */
export const guardedLikenessOf = (one: TextVector, other: TextVector): number => {
  const areSentences = one.isSentence && other.isSentence;
  const isGuarded = areSentences && one.isNegated !== other.isNegated;
  return likenessOf(one, other) * (isGuarded ? GUARD : 1);
};

const GUARD = 0.5;
