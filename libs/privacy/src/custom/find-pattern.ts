import type { PatternAutomaton, UnitSet } from './compile-pattern.ts';

export type TextRange = { start: number; end: number };

type Entry = { at: number; start: number };

/**
 * Returns a function that finds every character that belongs to any match, as ascending ranges with
 * overlaps merged. It scans the text once, so its time is at most the text length times the number
 * of transitions; finding the leftmost longest matches one by one would not have this bound.
 */
export function createPatternFinder(automaton: PatternAutomaton): (text: string) => TextRange[] {
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

function findMatches(
  { states, first, follow, isLast, startsWord, endsWord }: PatternAutomaton,
  { acceptedBy, canStart }: Tables,
  text: string,
): TextRange[] {
  const found: TextRange[] = [];
  // `active` lists the active states; `starts` lists, at the same indexes, the earliest start of a
  // match that reached each state. Starts are ascending, so the first match to reach a state is the
  // earliest.
  let active: number[] = [];
  let starts: number[] = [];
  const seen = new Int32Array(states.length).fill(-1);

  let nextActive: number[] = [];
  let nextStarts: number[] = [];
  let earliest = -1;
  const enter = (candidates: readonly number[], accepts: Uint8Array, from: Entry): void => {
    for (const state of candidates) {
      if (accepts[state] === 0 || seen[state] === from.at) continue;
      seen[state] = from.at;
      nextActive.push(state);
      nextStarts.push(from.start);
      if (earliest < 0 && isLast[state]) earliest = from.start;
    }
  };
  const entry: Entry = { at: 0, start: 0 };

  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (active.length === 0 && !canStart(unit)) continue;
    const accepts = acceptedBy(unit);
    nextActive = [];
    nextStarts = [];
    earliest = -1;
    entry.at = at;
    for (let index = 0; index < active.length; index += 1) {
      entry.start = starts[index] as number;
      enter(follow[active[index] as number] ?? [], accepts, entry);
    }
    entry.start = at;
    if (!startsWord || isWordBoundary(text, at)) enter(first, accepts, entry);
    if (earliest >= 0 && (!endsWord || isWordBoundary(text, at + 1)))
      mergeRange(found, earliest, at + 1);
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
  let from = start;
  for (let last = found.at(-1); last !== undefined && last.end > from; last = found.at(-1)) {
    from = Math.min(from, last.start);
    found.pop();
  }
  found.push({ start: from, end });
}

function createAcceptTables(states: readonly UnitSet[]): (unit: number) => Uint8Array {
  const tables = new Map<number, Uint8Array>();
  return (unit) => {
    const known = tables.get(unit);
    if (known !== undefined) return known;
    const table = Uint8Array.from(states, (state) => Number(isUnitOf(state, unit)));
    // Clearing the table limits the cache; most texts have few different code units.
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

function isUnitOf({ ranges, negated }: UnitSet, unit: number): boolean {
  return ranges.some(([from, to]) => unit >= from && unit <= to) !== negated;
}

const WORD_UNIT = /[\p{L}\p{N}_]/u;

/** Returns true at a word boundary, like `\b` in a RegExp but for the letters of all scripts. */
export function isWordBoundary(text: string, at: number): boolean {
  const before = at > 0 && WORD_UNIT.test(text.charAt(at - 1));
  const after = at < text.length && WORD_UNIT.test(text.charAt(at));
  return before !== after;
}
