import type { Dissent } from '../debate.ts';
import { findInventedNumbers } from './find-invented-numbers.ts';
import { findUnanimityClaim } from './find-unanimity-claim.ts';
import { dropMarks, findMarks, isKnownMark, joinWords } from './resolve-marks.ts';
import type { Cast } from './resolve-marks.ts';

/** What a prose is held to. */
export type ProseRules = {
  cast: Cast;
  dissent: readonly Dissent[];
  /** The table that it was written from. */
  material: string;
};

/** In UTF-16 units. */
const PROSE_LENGTH_MAX = 8_000;
/** Most that a fault repeats of a text. */
const SHOWN_MAX = 10;

/**
 * What is wrong with the prose of a synthesis (C3), as the model is told it; undefined when it
 * stands up: every dissenter is named, nobody's dissent is talked away, what is pointed at is
 * there, and no number is the model's own.
 */
export const findProseFault = (prose: string, rules: ProseRules): string | undefined => {
  if (prose.trim() === '') return 'it has no "content"';
  if (prose.length > PROSE_LENGTH_MAX) return 'its "content" is too long';
  const faults = [
    findUnknown(prose, rules),
    findUnnamed(prose, rules),
    findClaim(prose, rules),
    findNumbers(prose, rules),
  ].filter((fault) => fault !== undefined);
  return faults.length === 0 ? undefined : faults.join('; ');
};

const findUnknown = (prose: string, { cast }: ProseRules): string | undefined => {
  const unknown = findMarks(prose).filter((mark) => !isKnownMark(mark, cast));
  return unknown.length === 0
    ? undefined
    : `it points at ${listMarks(unknown)}, which the table does not hold`;
};

const findUnnamed = (prose: string, { cast, dissent }: ProseRules): string | undefined => {
  const dissenters = new Set(dissent.flatMap(({ agentIds }) => agentIds));
  const marks = new Set(findMarks(prose));
  const unnamed = cast.members
    .filter(({ letter, answer }) => dissenters.has(answer.agentId) && !marks.has(letter))
    .map(({ letter }) => letter);
  return unnamed.length === 0
    ? undefined
    : `it does not name ${listMarks(unnamed)}, whose dissent must be told`;
};

const findClaim = (prose: string, { cast, dissent }: ProseRules): string | undefined => {
  const claim = findUnanimityClaim(prose, { dissent, issues: cast.issues });
  return claim === undefined ? undefined : `it says "${claim}" although there is dissent`;
};

const findNumbers = (prose: string, { cast, material }: ProseRules): string | undefined => {
  const countMax = Math.max(cast.members.length, cast.issues.length);
  const invented = findInventedNumbers(dropMarks(prose), { material, countMax });
  return invented.length === 0
    ? undefined
    : `it gives numbers that the table does not hold: ${joinWords(invented.slice(0, SHOWN_MAX))}`;
};

const listMarks = (marks: readonly string[]): string =>
  joinWords(marks.slice(0, SHOWN_MAX).map((mark) => `[${mark}]`));
