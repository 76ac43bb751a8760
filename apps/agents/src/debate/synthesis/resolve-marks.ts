import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Issue } from '../debate.ts';
import type { Member } from './render-council.ts';

export type MarkTargets = { members: readonly Member[]; issues: readonly Issue[] };

const LIST_ITEM = String.raw`[A-Za-z]{1,2}\d{0,3}`;
/** Matches what can be the inside of a mark: `A`, `B2`, `i1`, `A, C` or `A and C`. */
const LIST = String.raw`${LIST_ITEM}(?:(?:, ?and |, ?| and )${LIST_ITEM})*`;
const MARKS = new RegExp(
  String.raw`(?<before>[:：]?[^\S\n]*)\[(?<inside>${LIST})\](?<stop>\.)?`,
  'gu',
);
const MARK = /^(?:[A-Z]{1,2}\d*|i\d+)$/u;

/**
 * Returns the distinct ids in the marks of a text, such as `A` and `i1` of `[A] [i1]`, in order of
 * occurrence; other text in brackets is ignored.
 */
export const findMarks = (text: string): string[] => [
  ...new Set([...text.matchAll(MARKS)].flatMap((match) => splitMarks(match.groups!['inside']!))),
];

export const dropMarks = (text: string): string =>
  text.replaceAll(MARKS, (bracket, ...rest) => {
    const { inside: content } = rest.at(-1) as Record<string, string>;
    return splitMarks(content!).length > 0 ? ' ' : bracket;
  });

export const isKnownMark = (mark: string, { members, issues }: MarkTargets): boolean =>
  issues.some(({ id }) => id === mark) ||
  members.some(({ letter }) => letter === mark) ||
  pointOf(mark, members) !== undefined;

/**
 * Replaces each mark by what it refers to: the name of a member, the wording of an issue, or a
 * point quoted verbatim. The mark of a point that was already quoted is removed, unless a colon
 * precedes it. A bracket with an unknown mark stays unchanged.
 */
export const resolveMarks = (text: string, targets: MarkTargets): string => {
  const quoted = new Set<string>();
  return text.replaceAll(MARKS, (bracket, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const { before = '', inside: content = '', stop = '' } = groups;
    const marks = splitMarks(content);
    if (marks.length === 0 || !marks.every((mark) => isKnownMark(mark, targets))) return bracket;
    const followsColon = /[:：]/u.test(before);
    const texts = marks.map((mark) => toText(mark, targets, { quoted, followsColon }));
    const replacement = joinList(texts.filter((part) => part !== ''));
    if (replacement === '') return stop;
    return before + replacement + (/[.!?…]”$/u.test(replacement) ? '' : stop);
  });
};

/** Joins items as `a`, `a and b` or `a, b and c`. */
export const joinList = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)!}`;

export const quote = (sentence: string): string =>
  inQuotes(toOneLine(sentence).trim().replace(/\.$/u, ''));

/**
 * Returns the text in curly double quotes on one line; such quotes inside it become single ones.
 */
export const inQuotes = (text: string): string =>
  `“${toOneLine(text).trim().replaceAll('“', '‘').replaceAll('”', '’')}”`;

const splitMarks = (content: string): string[] => {
  const marks = content.split(/, ?and |, ?| and /u);
  return marks.every((mark) => MARK.test(mark)) ? marks : [];
};

const pointOf = (mark: string, members: readonly Member[]): string | undefined => {
  const [, letter, number] = /^([A-Z]{1,2})(\d+)$/u.exec(mark) ?? [];
  const member = members.find((one) => one.letter === letter);
  return member?.answer.keyPoints[Number(number) - 1]?.text;
};

const toText = (
  mark: string,
  { members, issues }: MarkTargets,
  { quoted, followsColon }: { quoted: Set<string>; followsColon: boolean },
): string => {
  const issue = issues.find(({ id }) => id === mark);
  if (issue) return quote(issue.proposition);
  const member = members.find(({ letter }) => letter === mark);
  if (member) return toOneLine(member.answer.agentName);
  if (quoted.has(mark) && !followsColon) return '';
  quoted.add(mark);
  const point = inQuotes(pointOf(mark, members)!);
  return followsColon ? point : `(${point})`;
};
