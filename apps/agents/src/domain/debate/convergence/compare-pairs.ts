import type { Answer, Issue } from '../debate.ts';
import { memoize } from '../memoize.ts';
import { guardedLikenessOf } from './likeness/likeness-of.ts';
import { toTextVector } from './likeness/to-text-vector.ts';
import { stanceAgreement } from './stance-agreement.ts';

/** Two answers and how far they agree, 0 to 1. */
export type Pair = {
  one: Answer;
  other: Answer;
  score: number;
  /** By their stances, or by their words because they have no issue in common. */
  method: 'stance' | 'lexical';
};

/**
 * The answers that are compared: those with stances, where there are two or more; else all. Words
 * and stances are no one scale, and prose beside stances would look like dissent (C1).
 */
export const countedAnswers = (answers: readonly Answer[]): readonly Answer[] => {
  const withStances = answers.filter(({ stances }) => stances.length > 0);
  return withStances.length > 1 ? withStances : answers;
};

/**
 * Every two answers, once. Their order, and every bit of the scores, depends on what the answers
 * and issues are, not on the order in which they are given.
 */
export const comparePairs = (answers: readonly Answer[], issues: readonly Issue[]): Pair[] => {
  const sortedIssues = issues.toSorted((a, b) => compareIds(a.id, b.id));
  return pairsOf(answers).map(([one, other]): Pair => {
    const agreement = stanceAgreement(one, other, sortedIssues);
    if (agreement !== undefined) return { one, other, score: agreement, method: 'stance' };
    const score = guardedLikenessOf(textOf(one), textOf(other));
    return { one, other, score, method: 'lexical' };
  });
};

/** Every two of `answers`, by the ids of their agents. */
export const pairsOf = (answers: readonly Answer[]): [Answer, Answer][] => {
  const sorted = answers.toSorted((a, b) => compareIds(a.agentId, b.agentId));
  return sorted.flatMap((one, at) =>
    sorted.slice(at + 1).map((other): [Answer, Answer] => [one, other]),
  );
};

/** Position and prose of an answer as they are compared. */
export const textOf = memoize(({ position, content }: Answer) =>
  toTextVector(`${position}\n${content}`),
);

/** By code units: no locale has a say in the order of a sum. */
export const compareIds = (one: string, other: string): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};
