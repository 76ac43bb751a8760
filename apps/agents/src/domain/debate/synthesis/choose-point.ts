import { FUNCTION_WORDS } from '../../knowledge/search/function-words.ts';
import { baseOf, splitWords } from '../../knowledge/search/split-words.ts';
import type { Issue, KeyPoint } from '../debate.ts';
import { memoize } from '../memoize.ts';

/** An issue among those of its debate. */
export type IssueOf = { issue: Issue; issues: readonly Issue[] };

/** Of the telling words of a proposition, how many a text about it has at least. */
const SHARE_MIN = 0.3;
/** From here on a text is about that proposition and no other that it has less of. */
const SHARE_WHOLE = 0.6;

/**
 * The strongest point of an agent on an issue: agents give the strongest first, so the first one
 * that is about this issue; else the first that is about no other. Undefined when there is none.
 */
export const choosePoint = (points: readonly KeyPoint[], on: IssueOf): KeyPoint | undefined =>
  points.find(({ text }) => aboutOf(text, on) === 'this') ??
  points.find(({ text }) => aboutOf(text, on) === 'none');

/** Whether a text is about this issue, about another of its debate, or about none of them. */
export const aboutOf = (text: string, { issue, issues }: IssueOf): 'this' | 'another' | 'none' => {
  const words = contentWordsOf(text);
  const shared = issues
    .map((one) => ({ one, ...sharedWith(words, one) }))
    .filter(({ share }) => share >= SHARE_MIN)
    // Of two propositions that it holds whole, it is about the one that says more.
    .toSorted((left, right) => right.share - left.share || right.count - left.count);
  const [nearest] = shared;
  if (!nearest) return 'none';
  const here = shared.find(({ one }) => one.id === issue.id);
  if (here?.share === nearest.share && here.count === nearest.count) return 'this';
  return nearest.share >= SHARE_WHOLE ? 'another' : 'none';
};

const sharedWith = (words: ReadonlySet<string>, issue: Issue): { share: number; count: number } => {
  const asked = [...wordsOfIssue(issue)];
  const count = asked.filter((word) => words.has(word)).length;
  return { share: count / Math.max(1, asked.length), count };
};

const contentWordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    splitWords(text)
      .filter((word) => !FUNCTION_WORDS.has(word))
      .map(baseOf),
  );

// Every text is held against every issue.
const wordsOfIssue = memoize(({ proposition }: Issue) => contentWordsOf(proposition));
