import type { Answer, Issue } from '../debate.ts';
import { compareIds, comparePairs, countedAnswers, type Pair } from './compare-pairs.ts';
import { roundScore } from './round-score.ts';

const BLOC_AGREEMENT = 0.75;

/**
 * Groups agents by single linkage: an agent joins a bloc if it is similar enough to one of its
 * agents. Every agent is in exactly one bloc; an agent whose answer is not counted has a bloc of
 * its own. Blocs are sorted by size, largest first, then by their first agent id.
 */
export const findBlocs = (
  answers: readonly Answer[],
  issues: readonly Issue[],
): readonly (readonly string[])[] =>
  joinBlocs(answers, comparePairs(countedAnswers(answers), issues));

export const joinBlocs = (
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
