import { findMisplacedMembers } from './find-misplaced-members.ts';
import { findUnanimityClaim } from './find-unanimity-claim.ts';
import { dropMarks, findMarks, isKnownMark, joinList } from './resolve-marks.ts';
import type { MarkTargets } from './resolve-marks.ts';
import type { Tally } from './tally-votes.ts';

export type ProseRules = {
  targets: MarkTargets;
  tally: Pick<Tally, 'dissent'>;
  material: string;
};

const PROSE_LENGTH_MAX = 8_000;
const MARKS_MAX = 10;

/**
 * Returns a description, for the model, of the errors in the prose of a synthesis
 * (docs/life-of-a-debate.md): it is empty or too long, omits a dissenter, puts a member on the
 * wrong side, claims unanimity wrongly, refers to an unknown member, issue or point, or contains an
 * invented number. Returns undefined if no error is found.
 */
export const findProseError = (prose: string, rules: ProseRules): string | undefined => {
  if (prose.trim() === '') return 'it has no "content"';
  if (prose.length > PROSE_LENGTH_MAX) return 'its "content" is too long';
  const problems = [
    findUnknown(prose, rules),
    findUnnamed(prose, rules),
    findMisplaced(prose, rules),
    findClaim(prose, rules),
    findNumbers(prose, rules),
  ].filter((problem) => problem !== undefined);
  return problems.length === 0 ? undefined : problems.join('; ');
};

const findUnknown = (prose: string, { targets }: ProseRules): string | undefined => {
  const unknown = findMarks(prose).filter((mark) => !isKnownMark(mark, targets));
  return unknown.length === 0
    ? undefined
    : `it points at ${listMarks(unknown)}, which the table does not hold`;
};

const findUnnamed = (prose: string, { targets, tally }: ProseRules): string | undefined => {
  const dissenters = new Set(tally.dissent.flatMap(({ agentIds }) => agentIds));
  const marks = new Set(findMarks(prose));
  const unnamed = targets.members
    .filter(({ letter, answer }) => dissenters.has(answer.agentId) && !marks.has(letter))
    .map(({ letter }) => letter);
  return unnamed.length === 0
    ? undefined
    : `it does not name ${listMarks(unnamed)}, whose dissent must be told`;
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
