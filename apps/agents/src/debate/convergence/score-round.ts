import type { Answer, Issue, RoundReport } from '../debate.ts';
import {
  comparePairs,
  pairsOf,
  textOf,
  countedAnswers,
  roundScore,
  compareIds,
} from './compare-pairs.ts';
import type { Pair } from './compare-pairs.ts';
import { similarityOf } from './similarity/to-text-vector.ts';
import { stanceOf, STANCE_WIDTH } from './stance-agreement.ts';

/**
 * Returns the agreement of a round (docs/convergence.md), 0 to 1, and a report on it. The agreement
 * is the mean score over all pairs of counted answers; a single answer scores 1. A pair is compared
 * by stances, or by text, up to the level of chance, if the two answers have no issue in common. If
 * two or more answers have stances, answers without stances are not counted.
 *
 * The bits of the result do not depend on the order of the answers. There must be at least one
 * answer and at most `askedCount`. Answers that are reused as stale count for the score, but not
 * for the participation, which counts answers with stances only.
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
  const currentAnswers = answers.filter(({ isStale, stances }) => !isStale && stances.length > 0);
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

const BLOC_AGREEMENT = 0.75;

/**
 * Groups agents by single linkage: an agent joins a bloc if it is similar enough to one of its
 * agents. Every agent is in exactly one bloc; an agent whose answer is not counted has a bloc of
 * its own. Blocs are sorted by size, largest first, then by their first agent id.
 */
const joinBlocs = (
  answers: readonly Answer[],
  pairs: readonly Pair[],
): readonly (readonly string[])[] => {
  const blocOf = new Map(answers.map(({ agentId }) => [agentId, new Set([agentId])]));
  for (const { one, other, score } of pairs) {
    const bloc = blocOf.get(one.agentId)!;
    const joinedBloc = blocOf.get(other.agentId)!;
    if (bloc === joinedBloc || roundScore(score) < BLOC_AGREEMENT) continue;
    for (const agentId of joinedBloc) {
      bloc.add(agentId);
      blocOf.set(agentId, bloc);
    }
  }
  return [...new Set(blocOf.values())]
    .map((bloc) => [...bloc].toSorted(compareIds))
    .toSorted((a, b) => b.length - a.length || compareIds(a[0]!, b[0]!));
};

/**
 * Returns the consensus measure of Tastle and Wierman (2007) for ratings on a scale of width
 * `width`: 1 if all ratings are equal, 0 if half of them are at each end. `values` must not be
 * empty.
 */
export const consensusOf = (values: readonly number[], width: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return sorted.reduce(
    (sum, value) => sum + Math.log2(1 - Math.abs(value - mean) / width) / sorted.length,
    1,
  );
};

export const measureConsensus = (
  answers: readonly Answer[],
  issues: readonly Issue[],
): number | undefined => {
  const figures = issues
    .toSorted((a, b) => compareIds(a.id, b.id))
    .map(({ id }) => answers.flatMap((answer) => stanceOf(answer, id) ?? []))
    .filter((stances) => stances.length > 1)
    .map((stances) => consensusOf(stances, STANCE_WIDTH));
  return figures.length > 0
    ? figures.reduce((sum, figure) => sum + figure, 0) / figures.length
    : undefined;
};
