import { splitWords } from '../../knowledge/search/split-words.ts';
import type { TemplateReason } from '../debate.ts';
import { findFalseStatement } from './find-false-statement.ts';
import { findMisplacedMembers } from './find-misplaced-members.ts';
import { findUnanimityClaim, splitProse } from './find-unanimity-claim.ts';
import { dropMarks, findMarks, isKnownMark, joinList } from './resolve-marks.ts';
import type { MarkTargets } from './resolve-marks.ts';
import type { Tally } from './tally-votes.ts';

export type ProseRules = {
  targets: MarkTargets;
  tally: Pick<Tally, 'dissent' | 'verdicts'>;
  material: string;
};

/** `reason` is the gravest of the errors; `problem` describes all of them for the model. */
export type ProseError = {
  reason: Extract<TemplateReason, 'form' | 'incomplete' | 'numbers' | 'votes'>;
  problem: string;
};

const PROSE_LENGTH_MAX = 8_000;
const MARKS_MAX = 10;

/**
 * Returns the errors in the prose of a synthesis (docs/life-of-a-debate.md): it is empty or too
 * long, omits a proposition or a dissent, states a verdict that the tally does not have, puts a
 * member on the wrong side, claims unanimity wrongly, refers to an unknown member, issue or point,
 * or contains an invented number. Returns undefined if no error is found.
 */
export const findProseError = (prose: string, rules: ProseRules): ProseError | undefined => {
  if (prose.trim() === '') return { reason: 'form', problem: 'it has no "content"' };
  if (prose.length > PROSE_LENGTH_MAX)
    return { reason: 'form', problem: 'its "content" is too long' };
  const [unknown, numbers] = [findUnknown(prose, rules), findNumbers(prose, rules)];
  const unnamed = findUnnamed(prose, rules);
  const claims = [findMisplaced(prose, rules), findClaim(prose, rules)];
  const problems = [unknown, unnamed, findFalseVerdict(prose, rules), ...claims, numbers].filter(
    (problem) => problem !== undefined,
  );
  if (problems.length === 0) return undefined;
  const isFalse = [unknown, findFalseVerdict(dropRepetitions(prose, rules), rules), ...claims].some(
    (problem) => problem !== undefined,
  );
  const harmless = numbers === undefined ? 'incomplete' : 'numbers';
  return { reason: isFalse ? 'votes' : harmless, problem: problems.join('; ') };
};

/** Drops what contradicts no vote: questions, and propositions with a majority, as they are. */
const dropRepetitions = (prose: string, { tally }: ProseRules): string => {
  const supported = tally.verdicts
    .filter(({ verdict }) => verdict === 'support')
    .map(({ proposition }) => wordsOf(proposition));
  return splitProse(prose)
    .filter((sentence) => !sentence.trim().endsWith('?'))
    .filter((sentence) => !supported.includes(wordsOf(sentence)))
    .join('\n');
};

const wordsOf = (text: string): string => splitWords(text).join(' ');

const findUnknown = (prose: string, { targets }: ProseRules): string | undefined => {
  const unknown = findMarks(prose).filter((mark) => !isKnownMark(mark, targets));
  return unknown.length === 0
    ? undefined
    : `it points at ${listMarks(unknown)}, which the table does not hold`;
};

/** Finds propositions that are not named, and dissents without a sentence that names both marks. */
const findUnnamed = (prose: string, { targets, tally }: ProseRules): string | undefined => {
  const sentences = splitProse(prose).map(findMarks);
  const isNamed = (...marks: string[]): boolean =>
    sentences.some((named) => marks.every((mark) => named.includes(mark)));
  const issues = targets.issues.map(({ id }) => id).filter((id) => !isNamed(id));
  const dissents = targets.members.flatMap(({ letter, answer }) =>
    tally.dissent
      .filter(({ agentIds }) => agentIds.includes(answer.agentId))
      .filter(({ issueId }) => !isNamed(letter, issueId))
      .map(({ issueId }) => `[${letter}] on [${issueId}]`),
  );
  const problems = [
    ...(issues.length === 0 ? [] : [`it does not name ${listMarks(issues)}`]),
    ...(dissents.length === 0
      ? []
      : [`it has no sentence for the dissent of ${joinList(dissents.slice(0, MARKS_MAX))}`]),
  ];
  return problems.length === 0 ? undefined : problems.join('; ');
};

const findFalseVerdict = (prose: string, { targets, tally }: ProseRules): string | undefined => {
  const sentence = findFalseStatement(prose, { issues: targets.issues, ...tally });
  return sentence === undefined
    ? undefined
    : `it says "${sentence}", which is no verdict of the table or does not name its proposition ` +
        'by the mark';
};

const findMisplaced = (prose: string, rules: ProseRules): string | undefined => {
  const misplaced = findMisplacedMembers(prose, rules);
  return misplaced.length === 0
    ? undefined
    : `it names ${listMarks(misplaced)} as a dissenter, or for or against a proposition, where ` +
        'the table does not';
};

const findClaim = (prose: string, { targets }: ProseRules): string | undefined => {
  const answers = targets.members.map(({ answer }) => answer);
  const claim = findUnanimityClaim(prose, { answers, issues: targets.issues });
  return claim === undefined
    ? undefined
    : `it says "${claim}" although somebody dissents or took no stance`;
};

const findNumbers = (prose: string, { targets, material }: ProseRules): string | undefined => {
  const countMax = Math.max(targets.members.length, targets.issues.length);
  const invented = findInventedNumbers(dropMarks(prose), { material, countMax });
  return invented.length === 0
    ? undefined
    : `it gives numbers that the table does not hold: ${joinList(invented.slice(0, MARKS_MAX))}`;
};

const listMarks = (marks: readonly string[]): string =>
  joinList(marks.slice(0, MARKS_MAX).map((mark) => `[${mark}]`));

const NUMBER = /\d+(?:[.,'’\u00a0\u202f]\d+)*/gu;

/**
 * Returns the numbers of a text that its source `material` does not contain, neither directly nor
 * as share and percentage (0.62 and 62). Integers up to `countMax` are accepted as counts; numbers
 * written as words are ignored.
 */
export const findInventedNumbers = (
  text: string,
  { material, countMax }: { material: string; countMax: number },
): string[] => {
  const known = new Set(numbersOf(material).flatMap(readingsOf).map(keyOf));
  const isKnown = (value: number): boolean =>
    (Number.isInteger(value) && value <= countMax) ||
    [value, value / 100, value * 100].some((item) => known.has(keyOf(item)));
  const invented = numbersOf(text).filter((number) => !readingsOf(number).some(isKnown));
  return [...new Set(invented)];
};

const numbersOf = (text: string): string[] => text.normalize('NFKC').match(NUMBER) ?? [];

/**
 * Returns the values that a number can have: `1,200` is 1200 in some countries and 1.2 in others.
 */
const readingsOf = (number: string): number[] => {
  const whole = Number(number.replaceAll(/\D/gu, ''));
  const parts = /^(?<left>.*)[.,](?<right>\d+)$/u.exec(number)?.groups;
  if (!parts) return [whole];
  return [whole, Number(`${parts['left']!.replaceAll(/\D/gu, '')}.${parts['right']!}`)];
};

const keyOf = (value: number): string => String(Number(value.toPrecision(12)));
