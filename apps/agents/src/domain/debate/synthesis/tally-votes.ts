import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Answer, Dissent, Issue, IssueVerdict } from '../debate.ts';
import { choosePoint } from './choose-point.ts';

/** How the council stands, counted by rules: no model has a say in it. */
export type Tally = {
  /** One for each issue, in their order. */
  verdicts: readonly IssueVerdict[];
  /** By issue, then by agent id; agents of one entry say word for word the same, ids and all. */
  dissent: readonly Dissent[];
  /** 0 to 1: how far the stances, each times its confidence, point one way. */
  confidence: number;
};

/**
 * The vote on each issue (C3): stances weighted by confidence, `support` above 0.25, `oppose` below
 * -0.25, else `split`; and who stands on another side than the sum. What a dissenter holds are its
 * own words, in the order in which it gave them.
 */
export const tallyVotes = (answers: readonly Answer[], issues: readonly Issue[]): Tally => {
  const sorted = answers.toSorted((one, other) => (one.agentId < other.agentId ? -1 : 1));
  const counts = issues.map((issue) => count(issue, sorted));
  const weight = issues.reduce((sum, issue) => sum + issue.weight, 0);
  const sum = counts.reduce((total, { issue, clarity }) => total + issue.weight * clarity, 0);
  return {
    verdicts: counts.map(({ issue, total, weights }) => ({
      issueId: issue.id,
      proposition: issue.proposition,
      verdict: decide(total, weights),
      support: weights === 0 ? 0 : round(total / (2 * weights)),
    })),
    dissent: counts.flatMap((one) => toDissent(one, issues)),
    confidence: weight === 0 ? 0 : round(sum / weight),
  };
};

type Vote = { answer: Answer; stance: number; confidence: number };

/** Sums in whole numbers, so that the order of the votes changes no bit: `total` is 2 Σ w s. */
type Count = {
  issue: Issue;
  votes: readonly Vote[];
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

const decide = (total: number, weights: number): IssueVerdict['verdict'] => {
  // v > 1/4, where v = total / (2 weights).
  if (2 * total > weights) return 'support';
  return 2 * total < -weights ? 'oppose' : 'split';
};

const toDissent = ({ issue, votes, total }: Count, issues: readonly Issue[]): Dissent[] => {
  const found = new Map<string, Dissent>();
  for (const { answer, stance } of votes) {
    // Who is a whole step from v is on another side of 0 than v: the design's second condition.
    if (Math.sign(stance) === Math.sign(total)) continue;
    const said = wordsOf(answer, { issue, issues });
    const key = JSON.stringify([Math.sign(stance), said]);
    const same = found.get(key);
    found.set(key, {
      issueId: issue.id,
      agentIds: [...(same?.agentIds ?? []), answer.agentId],
      agentNames: [...(same?.agentNames ?? []), answer.agentName],
      ...said,
    });
  }
  return [...found.values()];
};

/** Of an agent that made no point, what it holds is its strongest. */
const wordsOf = (
  { position, content, keyPoints, wouldChangeMind }: Answer,
  on: { issue: Issue; issues: readonly Issue[] },
) => {
  const held = toOneLine(position.trim() === '' ? content : position).trim();
  const point = choosePoint(keyPoints, on);
  return {
    position: held,
    strongestPoint: point?.text ?? held,
    strongestPointId: point?.id ?? '',
    wouldChangeMind: toOneLine(wouldChangeMind).trim(),
  };
};

const round = (value: number): number => Math.round(value * 10_000) / 10_000 + 0;
