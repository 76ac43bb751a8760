import { findInventedNumbers } from './find-invented-numbers.ts';
import { findMisplacedMembers } from './find-misplaced-members.ts';
import { findUnanimityClaim } from './find-unanimity-claim.ts';
import { dropMarks, findMarks, isKnownMark, joinList } from './resolve-marks.ts';
import type { Cast } from './resolve-marks.ts';
import type { Tally } from './tally-votes.ts';

/** What a prose is held to. */
export type ProseRules = {
  cast: Cast;
  tally: Pick<Tally, 'dissent'>;
  /** The table that it was written from. */
  material: string;
};

/** In UTF-16 units. */
const PROSE_LENGTH_MAX = 8_000;
/** Most that a fault repeats of a text. */
const SHOWN_MAX = 10;

/**
 * What is wrong with the prose of a synthesis (docs/life-of-a-debate.md), as the model is told it;
 * undefined when it stands up: every dissenter is named, nobody is called one or placed on a side
 * who is not there, nothing reads as if all agreed who do not, what is pointed at is there, and no
 * number is the model's own.
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

const findUnknown = (prose: string, { cast }: ProseRules): string | undefined => {
  const unknown = findMarks(prose).filter((mark) => !isKnownMark(mark, cast));
  return unknown.length === 0
    ? undefined
    : `it points at ${listMarks(unknown)}, which the table does not hold`;
};

const findUnnamed = (prose: string, { cast, tally }: ProseRules): string | undefined => {
  const dissenters = new Set(tally.dissent.flatMap(({ agentIds }) => agentIds));
  const marks = new Set(findMarks(prose));
  const unnamed = cast.members
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

const findClaim = (prose: string, { cast }: ProseRules): string | undefined => {
  const answers = cast.members.map(({ answer }) => answer);
  const claim = findUnanimityClaim(prose, { answers, issues: cast.issues });
  return claim === undefined
    ? undefined
    : `it says "${claim}" although somebody dissents or took no stance`;
};

const findNumbers = (prose: string, { cast, material }: ProseRules): string | undefined => {
  const countMax = Math.max(cast.members.length, cast.issues.length);
  const invented = findInventedNumbers(dropMarks(prose), { material, countMax });
  return invented.length === 0
    ? undefined
    : `it gives numbers that the table does not hold: ${joinList(invented.slice(0, SHOWN_MAX))}`;
};

const listMarks = (marks: readonly string[]): string =>
  joinList(marks.slice(0, SHOWN_MAX).map((mark) => `[${mark}]`));
