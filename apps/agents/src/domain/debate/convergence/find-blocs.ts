import type { Answer, Issue } from '../debate.ts';
import { compareIds, comparePairs, countedAnswers, type Pair } from './compare-pairs.ts';
import { roundScore } from './round-score.ts';

/** Two answers with at least this agreement share a bloc. */
const BLOC_AGREEMENT = 0.75;

/**
 * Groups the agents by single linkage: agreement with one member is enough. Every agent is in
 * exactly one bloc, uncounted ones alone. Largest first, then by first agent id; ids in a bloc
 * ascend.
 */
export const findBlocs = (
  answers: readonly Answer[],
  issues: readonly Issue[],
): readonly (readonly string[])[] =>
  joinBlocs(answers, comparePairs(countedAnswers(answers), issues));

/** Same as `findBlocs`, from compared pairs. */
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
