import { FUNCTION_WORDS } from '../../knowledge/search/function-words.ts';
import { baseOf, splitWords } from '../../knowledge/search/split-words.ts';
import { memoize } from '../convergence/compare-pairs.ts';
import { stemWord } from '../convergence/similarity/stem-word.ts';
import type { Issue, KeyPoint } from '../debate.ts';

export type IssueInDebate = { issue: Issue; issues: readonly Issue[] };

/** Smallest share of a proposition's content words that a text must contain to be about it. */
const SHARE_MIN = 0.3;
/**
 * Share of another proposition's content words from which a text counts as about that proposition.
 * A text that is nearest to another proposition but has a smaller share is about neither.
 */
const DOMINANT_SHARE = 0.6;

/**
 * Returns the agent's strongest point on an issue: the first of its points that is about this issue
 * by the agent's own word, otherwise by its terms, because agents are asked to list their strongest
 * point first. In a debate with one issue, all points are about it. Returns undefined if there is
 * no such point; a point about another issue explains nothing.
 */
export const choosePoint = (
  points: readonly KeyPoint[],
  { issue, issues }: IssueInDebate,
): KeyPoint | undefined => {
  if (issues.length === 1) return points[0];
  const ofIssue = points.filter(({ issueId }) => issueId === undefined || issueId === issue.id);
  return (
    ofIssue.find(({ issueId }) => issueId === issue.id) ??
    ofIssue.find(({ text }) => topicOf(text, { issue, issues }) === 'this')
  );
};

export const topicOf = (
  text: string,
  { issue, issues }: IssueInDebate,
): 'this' | 'another' | 'none' => {
  const words = contentWordsOf(text);
  const shared = issues
    .map((one) => ({ one, ...sharedWith(words, one) }))
    .filter(({ share }) => share >= SHARE_MIN)
    .toSorted((left, right) => right.share - left.share || right.count - left.count);
  const [nearest] = shared;
  if (!nearest) return 'none';
  const sharedWithIssue = shared.find(({ one }) => one.id === issue.id);
  if (sharedWithIssue?.share === nearest.share && sharedWithIssue.count === nearest.count)
    return 'this';
  return nearest.share >= DOMINANT_SHARE ? 'another' : 'none';
};

const sharedWith = (words: ReadonlySet<string>, issue: Issue): { share: number; count: number } => {
  const issueWords = [...wordsOfIssue(issue)];
  const count = issueWords.filter((word) => words.has(word)).length;
  return { share: count / Math.max(1, issueWords.length), count };
};

export const contentWordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    splitWords(text)
      .filter((word) => !FUNCTION_WORDS.has(word))
      .map((word) => baseOf(stemWord(word))),
  );

const wordsOfIssue = memoize(({ proposition }: Issue) => contentWordsOf(proposition));
