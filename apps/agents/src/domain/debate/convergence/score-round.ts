import type { Answer, Issue, RoundReport } from '../debate.ts';
import { comparePairs, pairsOf, textOf, countedAnswers, type Pair } from './compare-pairs.ts';
import { joinBlocs } from './find-blocs.ts';
import { likenessOf } from './likeness/likeness-of.ts';
import { measureConsensus } from './measure-consensus.ts';
import { roundScore } from './round-score.ts';

/**
 * How far the answers of a round agree (docs/convergence.md, docs/convergence.md): the mean over
 * every two of them, head for head, 0 to 1 to four decimals. By stances; by likeness of words where
 * two have no issue in common. Where two or more took stances, an answer that took none does not
 * count: words and stances are no one scale. One answer agrees with itself: 1.
 *
 * The same answers in any order give the same bits, in any process. There is at least one, and
 * `askedCount` is no less; an answer that was carried over from the round before counts, but its
 * agent did not take part.
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
  const fresh = counted.filter(({ isStale }) => !isStale);
  const consensus = measureConsensus(answers, issues);
  return {
    convergenceScore: roundScore(pairs.length > 0 ? meanOf(pairs.map(({ score }) => score)) : 1),
    report: {
      method: methodOf(pairs),
      participation: roundScore(fresh.length / askedCount),
      blocs: joinBlocs(answers, pairs),
      textSimilarity: roundScore(
        meanOf(pairsOf(answers).map(([one, other]) => likenessOf(textOf(one), textOf(other)))),
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

/** Returns 0 for an empty list. */
const meanOf = (values: readonly number[]): number =>
  values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
