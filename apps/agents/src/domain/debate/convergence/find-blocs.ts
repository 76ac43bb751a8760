import type { Answer, Issue } from '../debate.ts';
import { compareIds, comparePairs, countedAnswers, type Pair } from './compare-pairs.ts';
import { roundScore } from './round-score.ts';

/** Two that agree this far are of one bloc (C3). */
const BLOC_AGREEMENT = 0.75;

/**
 * The agents of these answers in blocs: who agrees with one of a bloc is of it. Largest first, then
 * by their first agent; ids within a bloc ascend. Every agent is in one bloc, who does not count
 * alone.
 */
export const findBlocs = (
  answers: readonly Answer[],
  issues: readonly Issue[],
): readonly (readonly string[])[] =>
  joinBlocs(answers, comparePairs(countedAnswers(answers), issues));

/** The same from pairs that were compared already. */
export const joinBlocs = (
  answers: readonly Answer[],
  pairs: readonly Pair[],
): readonly (readonly string[])[] => {
  const blocOf = new Map(answers.map(({ agentId }) => [agentId, new Set([agentId])]));
  for (const { one, other, score } of pairs) {
    const host = blocOf.get(one.agentId)!;
    const guest = blocOf.get(other.agentId)!;
    if (host === guest || roundScore(score) < BLOC_AGREEMENT) continue;
    for (const agentId of guest) {
      host.add(agentId);
      blocOf.set(agentId, host);
    }
  }
  return [...new Set(blocOf.values())]
    .map((bloc) => [...bloc].toSorted(compareIds))
    .toSorted((a, b) => b.length - a.length || compareIds(a[0]!, b[0]!));
};
