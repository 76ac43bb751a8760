import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Answer, Dissent, Issue, IssueVerdict, Side } from '../debate.ts';
import { aboutOf, choosePoint } from './choose-point.ts';
import type { IssueOf } from './choose-point.ts';

/** How the council stands, counted by rules: no model has a say in it. */
export type Tally = {
  /** One for each issue, in their order. */
  verdicts: readonly IssueVerdict[];
  /** By issue, then by agent id; agents of one entry say word for word the same, ids and all. */
  dissent: readonly Dissent[];
  /** The same of issues that are split: all who took a stance. */
  camps: readonly Dissent[];
  /** By agent id. */
  withoutStance: readonly { id: string; name: string }[];
  /** 0 to 1: how far the stances, each times its confidence, point one way. */
  confidence: number;
};

/**
 * The vote on each issue (docs/life-of-a-debate.md), by heads: the side of more than half of those
 * who took a stance on it, however strong their stances are, else `split`; and who does not stand
 * with that majority. What agents hold are their own words on that issue, in the order in which
 * they gave them.
 */
export const tallyVotes = (answers: readonly Answer[], issues: readonly Issue[]): Tally => {
  const sorted = answers.toSorted((one, other) => (one.agentId < other.agentId ? -1 : 1));
  const counts = issues.map((issue) => count(issue, sorted));
  const weight = issues.reduce((sum, issue) => sum + issue.weight, 0);
  const sum = counts.reduce((total, { issue, clarity }) => total + issue.weight * clarity, 0);
  return {
    verdicts: counts.map(({ issue, verdict, total, weights }) => ({
      issueId: issue.id,
      proposition: issue.proposition,
      verdict,
      support: weights === 0 ? 0 : round(total / (2 * weights)),
    })),
    dissent: counts.flatMap((one) => (one.verdict === 'split' ? [] : toEntries(one, issues))),
    camps: counts.flatMap((one) => (one.verdict === 'split' ? toEntries(one, issues) : [])),
    withoutStance: sorted
      .filter(({ stances }) => stances.length === 0)
      .map(({ agentId, agentName }) => ({ id: agentId, name: agentName })),
    confidence: weight === 0 ? 0 : round(sum / weight),
  };
};

type Vote = { answer: Answer; stance: number; confidence: number };

/** The side of a stance. */
export const sideOf = (stance: number): Side =>
  stance === 0 ? 'undecided' : stance > 0 ? 'for' : 'against';

/** Sums in whole numbers, so that the order of the votes changes no bit: `total` is 2 Σ w s. */
type Count = {
  issue: Issue;
  votes: readonly Vote[];
  verdict: IssueVerdict['verdict'];
  total: number;
  weights: number;
  clarity: number;
};

const count = (issue: Issue, answers: readonly Answer[]): Count => {
  const votes = answers.flatMap((answer): Vote[] => {
    const stance = answer.stances.find(({ issueId }) => issueId === issue.id);
    return stance ? [{ answer, stance: stance.stance, confidence: stance.confidence }] : [];
  });
  const net = votes.reduce((sum, { stance, confidence }) => sum + stance * confidence, 0);
  return {
    issue,
    votes,
    verdict: decide(votes),
    total: votes.reduce((sum, vote) => sum + tenthsOf(vote.confidence) * doubled(vote.stance), 0),
    weights: votes.reduce((sum, vote) => sum + tenthsOf(vote.confidence), 0),
    clarity: votes.length === 0 ? 0 : Math.abs(net) / votes.length,
  };
};

/**
 * The weight of a vote in tenths, by the bins of ReConcile (Chen et al. 2024, `trans_confidence` of
 * its published code): models say 0.9 of nearly everything, and the bins set that apart.
 */
const tenthsOf = (confidence: number): number => {
  if (confidence >= 1) return 10;
  if (confidence >= 0.9) return 8;
  if (confidence >= 0.8) return 5;
  return confidence > 0.6 ? 3 : 1;
};

const doubled = (stance: number): number => Math.round(stance * 2);

const decide = (votes: readonly Vote[]): IssueVerdict['verdict'] => {
  const isMajority = (side: Side): boolean =>
    2 * votes.filter(({ stance }) => sideOf(stance) === side).length > votes.length;
  if (isMajority('for')) return 'support';
  return isMajority('against') ? 'oppose' : 'split';
};

const WITH_MAJORITY: Readonly<Record<IssueVerdict['verdict'], Side | undefined>> = {
  support: 'for',
  oppose: 'against',
  split: undefined,
};

/** All who do not stand with the majority. */
const toEntries = ({ issue, votes, verdict }: Count, issues: readonly Issue[]): Dissent[] => {
  const found = new Map<string, Dissent>();
  for (const { answer, stance } of votes) {
    const side = sideOf(stance);
    if (side === WITH_MAJORITY[verdict]) continue;
    const statement = statementOf(answer, { issue, issues });
    const key = JSON.stringify([side, statement]);
    const same = found.get(key);
    found.set(key, {
      issueId: issue.id,
      side,
      agentIds: [...(same?.agentIds ?? []), answer.agentId],
      agentNames: [...(same?.agentNames ?? []), answer.agentName],
      ...statement,
    });
  }
  return [...found.values()];
};

/**
 * What an agent says of an issue. Words about another issue explain nothing here. Of an agent that
 * made no point, what it holds is its strongest; of one that holds nothing, its point.
 */
const statementOf = ({ position, content, keyPoints, wouldChangeMind }: Answer, on: IssueOf) => {
  const here = (text: string): string => (aboutOf(text, on) === 'another' ? '' : text);
  const own = here(toOneLine(position.trim() === '' ? content : position).trim());
  const point = choosePoint(keyPoints, on);
  const statement = own === '' ? toOneLine(point?.text ?? '') : own;
  return {
    position: statement,
    strongestPoint: point?.text ?? statement,
    strongestPointId: point?.id ?? '',
    wouldChangeMind: here(toOneLine(wouldChangeMind).trim()),
  };
};

const round = (value: number): number => Math.round(value * 10_000) / 10_000 + 0;
