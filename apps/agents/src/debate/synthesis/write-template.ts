import { toOneLine } from '../../prompt/to-one-line.ts';
import { sideOf } from '../debate.ts';
import type { Answer, Issue, IssueVerdict, Side } from '../debate.ts';
import { topicOf } from './choose-point.ts';
import { inQuotes, joinList, quote } from './resolve-marks.ts';
import type { SynthesisSource } from './render-council.ts';
import type { Tally } from './tally-votes.ts';

export type Template = { prose: string; openQuestions: string[] };

/**
 * Returns what stands in place of a model's prose: the reasons in the words of a member, and the
 * questions that split verdicts leave open.
 */
export const writeTemplate = ({ rounds, issues }: SynthesisSource, tally: Tally): Template => ({
  prose: renderRationale(tally, rounds.at(-1)!.answers, issues),
  openQuestions: tally.verdicts
    .filter(({ verdict }) => verdict === 'split')
    .map(({ proposition }) => `What would settle ${quote(proposition)}?`),
});

/** Returns one sentence per issue with its verdict and all names by side. */
export const renderVerdicts = ({ verdicts }: Tally, answers: readonly Answer[]): string =>
  answers.every(({ stances }) => stances.length === 0)
    ? 'Nobody took a stance that can be counted.'
    : verdicts.map((verdict) => describeVerdict(verdict, answers)).join('\n');

type Vote = Side | 'no stance';

const VOTES: readonly Vote[] = ['for', 'against', 'undecided', 'no stance'];

const describeVerdict = (
  { issueId, proposition, verdict }: IssueVerdict,
  answers: readonly Answer[],
): string => {
  const voteOf = ({ stances }: Answer): Vote => {
    const statedStance = stances.find((stance) => stance.issueId === issueId);
    return statedStance ? sideOf(statedStance.stance) : 'no stance';
  };
  const byVote = Map.groupBy(answers, voteOf);
  const listed = VOTES.filter((vote) => byVote.has(vote)).map(
    (vote) => `${vote}: ${joinList(byVote.get(vote)!.map(nameOf))}`,
  );
  const count = (vote: Vote): number => byVote.get(vote)?.length ?? 0;
  if (answers.length === 1) {
    return `${nameOf(answers[0]!)} ${VERB_OF_VOTE[voteOf(answers[0]!)]} ${quote(proposition)}.`;
  }
  if (verdict === 'none') return `Nobody took a stance on ${quote(proposition)}.`;
  const outcome = describeOutcome(verdict, { count, answerCount: answers.length });
  return `${outcome} ${quote(proposition)} (${listed.join('; ')}).`;
};

const VERB_OF_VOTE: Readonly<Record<Vote, string>> = {
  for: 'supports',
  against: 'opposes',
  undecided: 'is undecided on',
  'no stance': 'takes no stance on',
};

const describeOutcome = (
  verdict: Exclude<IssueVerdict['verdict'], 'none'>,
  { count, answerCount }: { count: (vote: Vote) => number; answerCount: number },
): string => {
  if (verdict === 'split') {
    return count('for') > 0 && count('against') > 0
      ? 'The council is split on'
      : 'There is no majority on';
  }
  const [side, verb] = verdict === 'support' ? (['for', 'support'] as const) : OPPOSING_SIDE;
  if (count(side) === answerCount) return `The council ${verb}s`;
  if (2 * count(side) > answerCount) return `A majority of the council ${verb}s`;
  const isUnanimousAmongVoters = count(side) === answerCount - count('no stance');
  return `${isUnanimousAmongVoters ? 'All' : 'Most of those'} who took a stance ${verb}`;
};

const OPPOSING_SIDE = ['against', 'oppose'] as const;

/**
 * Returns the position of an agent that has stances and is with the majority wherever it has one;
 * empty if there is no such agent. Positions about an issue come first, because those of weak
 * models may be about something else, then the most confident agent.
 */
const renderRationale = (
  { dissent, camps }: Tally,
  answers: readonly Answer[],
  issues: readonly Issue[],
): string => {
  const isAbout = ({ position }: Answer): number =>
    Number(issues.some((issue) => topicOf(position, { issue, issues }) === 'this'));
  const minorityAgentIds = new Set([...dissent, ...camps].flatMap(({ agentIds }) => agentIds));
  const [representative] = answers
    .filter(({ agentId, stances }) => stances.length > 0 && !minorityAgentIds.has(agentId))
    .toSorted(
      (one, other) =>
        isAbout(other) - isAbout(one) ||
        meanConfidenceOf(other) - meanConfidenceOf(one) ||
        compareIds(one, other),
    );
  return representative ? `In the words of ${describePosition(representative)}` : '';
};

const meanConfidenceOf = ({ stances }: Answer): number =>
  stances.reduce((sum, { confidence }) => sum + confidence, 0) / stances.length;

const compareIds = (one: Answer, other: Answer): number => (one.agentId < other.agentId ? -1 : 1);

const describePosition = (answer: Answer): string => {
  const { position, content } = answer;
  return `${nameOf(answer)}: ${inQuotes(position.trim() === '' ? content : position)}`;
};

const nameOf = ({ agentName }: Answer): string => toOneLine(agentName);
