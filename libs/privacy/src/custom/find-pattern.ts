import { STEP_UNITS } from '../steps.ts';
import type { Steps } from '../steps.ts';
import type { PatternAutomaton, UnitSet } from './compile-pattern.ts';

export type TextRange = { start: number; end: number };

type Entry = { offset: number; start: number };

/**
 * Returns a function that finds every character that belongs to any match, as ascending ranges with
 * overlaps merged. It scans the text once, so its time is at most the text length times the number
 * of transitions; finding the leftmost longest matches one by one would not have this bound.
 */
export function createPatternFinder(
  automaton: PatternAutomaton,
): (text: string) => Steps<TextRange[]> {
  const { states, first } = automaton;
  const tables = {
    acceptedBy: createAcceptTables(states),
    canStart: createFirstTable(states, first),
  };
  return (text) => findMatches(automaton, tables, text);
}

type Tables = {
  acceptedBy: (unit: number) => Uint8Array;
  canStart: (unit: number) => boolean;
};

function* findMatches(
  { states, first, follow, isLast, startsWord, endsWord, transitions }: PatternAutomaton,
  { acceptedBy, canStart }: Tables,
  text: string,
): Steps<TextRange[]> {
  const found: TextRange[] = [];
  const stepUnits = Math.ceil(STEP_UNITS / Math.max(1, transitions / TRANSITIONS_PER_UNIT));
  // `active` lists the active states; `starts` lists, at the same indexes, the earliest start of a
  // match that reached each state. Starts are ascending, so the first match to reach a state is the
  // earliest.
  let active: number[] = [];
  let starts: number[] = [];
  const lastOffsets = new Int32Array(states.length).fill(-1);

  let nextActive: number[] = [];
  let nextStarts: number[] = [];
  let earliest = -1;
  const enter = (candidates: readonly number[], accepts: Uint8Array, match: Entry): void => {
    for (const state of candidates) {
      if (accepts[state] === 0 || lastOffsets[state] === match.offset) continue;
      lastOffsets[state] = match.offset;
      nextActive.push(state);
      nextStarts.push(match.start);
      if (earliest < 0 && isLast[state]) earliest = match.start;
    }
  };
  const entry: Entry = { offset: 0, start: 0 };

  for (let offset = 0; offset < text.length; offset += 1) {
    if (offset % stepUnits === stepUnits - 1) yield;
    const unit = text.charCodeAt(offset);
    if (active.length === 0 && !canStart(unit)) continue;
    const accepts = acceptedBy(unit);
    nextActive = [];
    nextStarts = [];
    earliest = -1;
    entry.offset = offset;
    for (let index = 0; index < active.length; index += 1) {
      entry.start = starts[index] as number;
      enter(follow[active[index] as number] ?? [], accepts, entry);
    }
    entry.start = offset;
    if (!startsWord || isWordBoundary(text, offset)) enter(first, accepts, entry);
    if (earliest >= 0 && (!endsWord || isWordBoundary(text, offset + 1)))
      mergeRange(found, earliest, offset + 1);
    active = nextActive;
    starts = nextStarts;
  }
  return found;
}

/**
 * Appends a range, merged with the earlier ranges that it overlaps. Ends are ascending, but a later
 * match may start before earlier ranges.
 */
function mergeRange(found: TextRange[], start: number, end: number): void {
  let mergedStart = start;
  for (let last = found.at(-1); last !== undefined && last.end > mergedStart; last = found.at(-1)) {
    mergedStart = Math.min(mergedStart, last.start);
    found.pop();
  }
  found.push({ start: mergedStart, end });
}

function createAcceptTables(states: readonly UnitSet[]): (unit: number) => Uint8Array {
  const tables = new Map<number, Uint8Array>();
  return (unit) => {
    const cached = tables.get(unit);
    if (cached !== undefined) return cached;
    const table = Uint8Array.from(states, (state) => Number(isUnitOf(state, unit)));
    // Clearing `tables` limits its size; most texts have few different code units.
    if (tables.size === TABLES_MAX) tables.clear();
    tables.set(unit, table);
    return table;
  };
}

function createFirstTable(
  states: readonly UnitSet[],
  first: readonly number[],
): (unit: number) => boolean {
  const test = (unit: number): boolean =>
    first.some((state) => isUnitOf(states[state] as UnitSet, unit));
  const ascii = Array.from({ length: 128 }, (_, unit) => test(unit));
  return (unit) => (unit < 128 ? (ascii[unit] as boolean) : test(unit));
}

const TABLES_MAX = 512;
/** Number of transitions that take about as long as the rest of the detection of a code unit. */
const TRANSITIONS_PER_UNIT = 32;

function isUnitOf({ ranges, negated }: UnitSet, unit: number): boolean {
  return ranges.some(([from, to]) => unit >= from && unit <= to) !== negated;
}

const WORD_UNIT = /[\p{L}\p{N}_]/u;

/** Returns true at a word boundary, like `\b` in a RegExp but for the letters of all scripts. */
function isWordBoundary(text: string, offset: number): boolean {
  const isWordBefore = offset > 0 && WORD_UNIT.test(text.charAt(offset - 1));
  const isWordAfter = offset < text.length && WORD_UNIT.test(text.charAt(offset));
  return isWordBefore !== isWordAfter;
}
