import { toOneLine } from '../../prompt/to-one-line.ts';
import { roundScore } from '../convergence/compare-pairs.ts';
import { findContradiction } from '../answer/find-contradiction.ts';
import { isShort, openingOf } from '../answer/opening-of.ts';
import { sideOf } from '../debate.ts';
import type { Answer, Dissent, Issue, IssueVerdict, NamedContradiction, Side } from '../debate.ts';
import { topicOf, choosePoint } from './choose-point.ts';
import type { IssueInDebate } from './choose-point.ts';

export type Tally = {
  verdicts: readonly IssueVerdict[];
  /**
   * Dissent in the order of the issues, then by agent id. Agents share an entry if they are on the
   * same side and their statements are identical, including the ids of their strongest points.
   */
  dissent: readonly Dissent[];
  camps: readonly Dissent[];
  withoutStance: readonly { id: string; name: string }[];
  /** Agents whose statement on the first issue, the decision, contradicts their stance on it. */
  contradictions: readonly NamedContradiction[];
  /**
   * Mean over the issues by their weight, 0 to 1, of the degree to which the stances, weighted by
   * confidence, point in one direction.
   */
  confidence: number;
};

/**
 * Counts the votes on each issue (docs/life-of-a-debate.md). The verdict is `support` or `oppose`
 * if more than half of the agents with a stance are on that side, regardless of the strength of the
 * stances, otherwise `split`, or `none` if no agent has a stance. Dissent consists of the agents'
 * own texts about the issue.
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
      support: weights === 0 ? 0 : roundScore(total / (2 * weights)),
    })),
    contradictions: findContradictions(sorted, issues),
    dissent: counts.flatMap((one) => (one.verdict === 'split' ? [] : toEntries(one, issues))),
    camps: counts.flatMap((one) => (one.verdict === 'split' ? toEntries(one, issues) : [])),
    withoutStance: sorted
      .filter(({ stances }) => stances.length === 0)
      .map(({ agentId, agentName }) => ({ id: agentId, name: agentName })),
    confidence: weight === 0 ? 0 : roundScore(sum / weight),
  };
};

const findContradictions = (
  answers: readonly Answer[],
  [decision]: readonly Issue[],
): NamedContradiction[] =>
  answers.flatMap((answer) => {
    const found = decision && findContradiction(answer, decision);
    const { agentId, agentName } = answer;
    return found ? [{ agentId, agentName, ...found }] : [];
  });

type Vote = { answer: Answer; stance: number; confidence: number };

/**
 * Result of the votes on an issue. `weights` is the sum of the weights in tenths, and `total` is
 * the sum of these weights times the doubled stances. Both are sums of integers, so that the order
 * of the votes has no effect.
 */
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
    total: votes.reduce((sum, vote) => sum + toTenths(vote.confidence) * doubled(vote.stance), 0),
    weights: votes.reduce((sum, vote) => sum + toTenths(vote.confidence), 0),
    clarity: votes.length === 0 ? 0 : Math.abs(net) / votes.length,
  };
};

/**
 * Returns the weight of a vote in tenths. The steps are those of ReConcile (Chen et al. 2024,
 * `trans_confidence` of the published code): models often report a confidence near 0.9, and the
 * steps spread such values.
 */
const toTenths = (confidence: number): number => {
  if (confidence >= 1) return 10;
  if (confidence >= 0.9) return 8;
  if (confidence >= 0.8) return 5;
  return confidence > 0.6 ? 3 : 1;
};

const doubled = (stance: number): number => Math.round(stance * 2);

const decide = (votes: readonly Vote[]): IssueVerdict['verdict'] => {
  if (votes.length === 0) return 'none';
  const isMajority = (side: Side): boolean =>
    2 * votes.filter(({ stance }) => sideOf(stance) === side).length > votes.length;
  if (isMajority('for')) return 'support';
  return isMajority('against') ? 'oppose' : 'split';
};

const WITH_MAJORITY: Readonly<Record<IssueVerdict['verdict'], Side | undefined>> = {
  support: 'for',
  oppose: 'against',
  split: undefined,
  none: undefined,
};

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
 * Returns an agent's statement on an issue: its conclusion if that is about this issue, otherwise
 * its strongest point on it, otherwise the opening of its answer.
 */
const statementOf = (
  { position, content, keyPoints, wouldChangeMind }: Answer,
  context: IssueInDebate,
) => {
  const isOnIssue = (text: string): boolean =>
    text !== '' && (context.issues.length === 1 || topicOf(text, context) === 'this');
  const conclusion = toOneLine(position).trim();
  // A weak model's point may be a topic, such as "cash".
  const point = choosePoint(
    keyPoints.filter(({ text }) => !isShort(text)),
    context,
  );
  const opening = openingOf(content) || conclusion;
  const statement = isOnIssue(conclusion) ? conclusion : toOneLine(point?.text ?? opening);
  const condition = toOneLine(wouldChangeMind).trim();
  return {
    position: statement,
    strongestPoint: point?.text ?? statement,
    strongestPointId: point?.id ?? '',
    wouldChangeMind: topicOf(condition, context) === 'another' ? '' : condition,
  };
};
