import { FUNCTION_WORDS } from '../../knowledge/search/function-words.ts';
import { baseOf, splitWords } from '../../knowledge/search/split-words.ts';
import type { Issue, KeyPoint } from '../debate.ts';
import { remember } from '../remember.ts';

/** Of the telling words of a proposition, how many a point about it has at least. */
const SHARE_MIN = 0.3;

/**
 * The strongest point of an agent on an issue: agents give the strongest first, so the first one
 * that is about this issue more than about any other, by the telling words that it shares with
 * them; else the first of all. Undefined when there is none.
 */
export const choosePoint = (
  points: readonly KeyPoint[],
  { issue, issues }: { issue: Issue; issues: readonly Issue[] },
): KeyPoint | undefined =>
  points.find((point) => {
    const words = wordsOfPoint(point);
    const here = shareIn(words, issue);
    const isElsewhere = issues.some(
      (other) => other.id !== issue.id && shareIn(words, other) >= here,
    );
    return here >= SHARE_MIN && !isElsewhere;
  }) ?? points[0];

const shareIn = (words: ReadonlySet<string>, issue: Issue): number => {
  const asked = [...wordsOfIssue(issue)];
  return asked.filter((word) => words.has(word)).length / Math.max(1, asked.length);
};

const tellingWords = (text: string): ReadonlySet<string> =>
  new Set(
    splitWords(text)
      .filter((word) => !FUNCTION_WORDS.has(word))
      .map(baseOf),
  );

// Every point is held against every issue.
const wordsOfPoint = remember(({ text }: KeyPoint) => tellingWords(text));
const wordsOfIssue = remember(({ proposition }: Issue) => tellingWords(proposition));
