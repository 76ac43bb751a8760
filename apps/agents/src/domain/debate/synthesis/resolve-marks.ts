import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Issue } from '../debate.ts';
import type { Member } from './anonymise.ts';

/** What marks in the prose of a synthesis may point at. */
export type Cast = { members: readonly Member[]; issues: readonly Issue[] };

const LIST_ITEM = String.raw`[A-Za-z]{1,2}\d{0,3}`;
/** One or several in brackets: `[A]`, `[B2]`, `[i1]`, `[A, C]`, `[A and C]`. */
const LIST = String.raw`${LIST_ITEM}(?:(?:, ?and |, ?| and )${LIST_ITEM})*`;
const MARKS = new RegExp(
  String.raw`(?<before>[:：]?[^\S\n]*)\[(?<inside>${LIST})\](?<stop>\.)?`,
  'gu',
);
const MARK = /^(?:[A-Z]{1,2}\d*|i\d+)$/u;

/** The marks in a text, each once, in its order. What is in brackets and is none is passed over. */
export const findMarks = (text: string): string[] => [
  ...new Set([...text.matchAll(MARKS)].flatMap((match) => split(match.groups!['inside']!))),
];

/** The text without its marks, for what is to be read in its own words. */
export const dropMarks = (text: string): string =>
  text.replaceAll(MARKS, (whole, ...rest) => {
    const { inside } = rest.at(-1) as Record<string, string>;
    return split(inside!).length > 0 ? ' ' : whole;
  });

/** Whether a mark is of a member, a point or an issue that there is. */
export const isKnownMark = (mark: string, { members, issues }: Cast): boolean =>
  issues.some(({ id }) => id === mark) ||
  members.some(({ letter }) => letter === mark) ||
  pointOf(mark, members) !== undefined;

/**
 * The text with what its marks stand for: members' names, issues as they are worded, and points
 * word for word in quotes, so that nobody's point is told in another's words. A point is quoted
 * once. Marks of nothing stay.
 */
export const resolveMarks = (text: string, cast: Cast): string => {
  const quoted = new Set<string>();
  return text.replaceAll(MARKS, (whole, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const { before = '', inside = '', stop = '' } = groups;
    const marks = split(inside);
    if (marks.length === 0 || !marks.every((mark) => isKnownMark(mark, cast))) return whole;
    const isLed = /[:：]/u.test(before);
    const texts = marks.map((mark) => toText(mark, cast, { quoted, isLed }));
    const replacement = joinList(texts.filter((part) => part !== ''));
    // Nothing stands where a point would have been quoted a second time.
    if (replacement === '') return stop;
    // A quote that ends a sentence has its full stop.
    return before + replacement + (/[.!?…]”$/u.test(replacement) ? '' : stop);
  });
};

/** Items as a sentence names them: `a`, `a and b`, `a, b and c`. */
export const joinList = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;

/** A sentence in quotes within another: on one line, without a full stop, its own quotes single. */
export const quote = (sentence: string): string =>
  inQuotes(toOneLine(sentence).trim().replace(/\.$/u, ''));

/** A text word for word in quotes: on one line, its own quotes single. */
export const inQuotes = (text: string): string =>
  `“${toOneLine(text).trim().replaceAll('“', '‘').replaceAll('”', '’')}”`;

const split = (inside: string): string[] => {
  const marks = inside.split(/, ?and |, ?| and /u);
  return marks.every((mark) => MARK.test(mark)) ? marks : [];
};

const pointOf = (mark: string, members: readonly Member[]): string | undefined => {
  const [, letter, number] = /^([A-Z]{1,2})(\d+)$/u.exec(mark) ?? [];
  const member = members.find((one) => one.letter === letter);
  return member?.answer.keyPoints[Number(number) - 1]?.text;
};

const toText = (
  mark: string,
  { members, issues }: Cast,
  { quoted, isLed }: { quoted: Set<string>; isLed: boolean },
): string => {
  const issue = issues.find(({ id }) => id === mark);
  if (issue) return quote(issue.proposition);
  const member = members.find(({ letter }) => letter === mark);
  if (member) return toOneLine(member.answer.agentName);
  if (quoted.has(mark) && !isLed) return '';
  quoted.add(mark);
  const point = inQuotes(pointOf(mark, members)!);
  return isLed ? point : `(${point})`;
};
