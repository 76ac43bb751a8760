import type { Answer, Issue } from '../debate.ts';
import { negationAwareSimilarityOf } from './similarity/to-text-vector.ts';
import { toTextVector } from './similarity/to-text-vector.ts';
import { stanceAgreement } from './stance-agreement.ts';

/**
 * Returns a function that calls `compute` once per key object; `compute` must not return undefined.
 * Keys must not be mutated.
 */
export const memoize = <Key extends object, Value>(
  compute: (key: Key) => Value,
): ((key: Key) => Value) => {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
};

export type Pair = {
  one: Answer;
  other: Answer;
  score: number;
  method: 'stance' | 'lexical';
};

/**
 * Returns the answers with stances if there are at least two, otherwise all answers. Text
 * similarity and stance agreement are on different scales, so an answer without stances would look
 * like dissent beside answers that have them.
 */
export const countedAnswers = (answers: readonly Answer[]): readonly Answer[] => {
  const withStances = answers.filter(({ stances }) => stances.length > 0);
  return withStances.length > 1 ? withStances : answers;
};

/**
 * Mean agreement of stances drawn at random (docs/convergence.md). Texts count up to it, because
 * equal texts are not agreement: opponents use the same terms.
 */
export const CHANCE_LEVEL = 0.6;

/**
 * Returns a score for each pair of answers. The order of the pairs and the bits of their scores do
 * not depend on the order of the answers.
 */
export const comparePairs = (answers: readonly Answer[], issues: readonly Issue[]): Pair[] => {
  const sortedIssues = issues.toSorted((a, b) => compareIds(a.id, b.id));
  return pairsOf(answers).map(([one, other]): Pair => {
    const agreement = stanceAgreement(one, other, sortedIssues);
    if (agreement !== undefined) return { one, other, score: agreement, method: 'stance' };
    const score = CHANCE_LEVEL * negationAwareSimilarityOf(textOf(one), textOf(other));
    return { one, other, score, method: 'lexical' };
  });
};

export const pairsOf = (answers: readonly Answer[]): [Answer, Answer][] => {
  const sorted = answers.toSorted((a, b) => compareIds(a.agentId, b.agentId));
  return sorted.flatMap((item, index) =>
    sorted.slice(index + 1).map((other): [Answer, Answer] => [item, other]),
  );
};

export const textOf = memoize(({ position, content }: Answer) =>
  toTextVector(`${position}\n${content}`),
);

/**
 * Compares by code units, because a locale-dependent order would change the order in which scores
 * are summed and thus their rounding.
 */
export const compareIds = (one: string, other: string): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

/** Rounds to four decimals, which hides rounding errors of sums; never returns -0. */
export const roundScore = (value: number): number => Math.round(value * 10_000) / 10_000 + 0;
