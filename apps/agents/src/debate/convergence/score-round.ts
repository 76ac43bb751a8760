import type { Answer, Issue, RoundReport } from '../debate.ts';
import { comparePairs, pairsOf, textOf, countedAnswers, type Pair } from './compare-pairs.ts';
import { joinBlocs } from './find-blocs.ts';
import { similarityOf } from './similarity/similarity-of.ts';
import { measureConsensus } from './measure-consensus.ts';
import { roundScore } from './round-score.ts';

/**
 * Returns the agreement of a round (docs/convergence.md), 0 to 1: the mean score over all pairs of
 * answers. A single answer scores 1. A pair is compared by stances, or by text if the two answers
 * have no issue in common. If two or more answers have stances, answers without stances are not
 * counted.
 *
 * The bits of the result do not depend on the order of the answers. There must be at least one
 * answer and at most `askedCount`. Answers that are reused as stale count for the score, but not
 * for the participation.
 */
export const scoreRound = (round: {
  answers: readonly Answer[];
  issues: readonly Issue[];
  askedCount: number;
  conformityFlips: number;
}): { convergenceScore: number; report: RoundReport } => {
  const { answers, issues, askedCount, conformityFlips } = round;
  const counted = countedAnswers(answers);
  const pairs = comparePairs(counted, issues);
  const currentAnswers = counted.filter(({ isStale }) => !isStale);
  const consensus = measureConsensus(answers, issues);
  return {
    convergenceScore: roundScore(pairs.length > 0 ? meanOf(pairs.map(({ score }) => score)) : 1),
    report: {
      method: methodOf(pairs),
      participation: roundScore(currentAnswers.length / askedCount),
      blocs: joinBlocs(answers, pairs),
      textSimilarity: roundScore(
        meanOf(pairsOf(answers).map(([one, other]) => similarityOf(textOf(one), textOf(other)))),
      ),
      conformityFlips,
      consensus: consensus === undefined ? undefined : roundScore(consensus),
    },
  };
};

const methodOf = (pairs: readonly Pair[]): RoundReport['method'] => {
  const methods = new Set(pairs.map(({ method }) => method));
  if (methods.size > 1) return 'mixed';
  return [...methods][0] ?? 'single';
};

const meanOf = (values: readonly number[]): number =>
  values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
