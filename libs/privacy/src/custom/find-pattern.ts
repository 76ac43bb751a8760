import type { PatternAutomaton, UnitSet } from './compile-pattern.ts';

export type Stretch = { start: number; end: number };

/** Where a state is entered, and where its match began. */
type Entry = { at: number; start: number };

/**
 * Finds every character that belongs to any match, as ascending stretches; matches that overlap are
 * one stretch. One pass: time is at most the text's length times the automaton's moves, whatever
 * the text is, which finding the leftmost longest matches one by one would not guarantee.
 */
export function createPatternFinder(automaton: PatternAutomaton): (text: string) => Stretch[] {
  const { states, first } = automaton;
  const tables = {
    acceptedBy: createAcceptTables(states),
    canStart: createFirstTable(states, first),
  };
  return (text) => findStretches(automaton, tables, text);
}

/** What a pattern knows of code units; kept from text to text. */
type Tables = {
  acceptedBy: (unit: number) => Uint8Array;
  canStart: (unit: number) => boolean;
};

function findStretches(
  { states, first, follow, isLast, startsWord, endsWord }: PatternAutomaton,
  { acceptedBy, canStart }: Tables,
  text: string,
): Stretch[] {
  const found: Stretch[] = [];
  // Parallel lists: an active state and the earliest start that led to it. They are ascending by
  // start, so the first to reach a state is the earliest.
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
    if (!startsWord || isBoundary(text, at)) enter(first, accepts, entry);
    if (earliest >= 0 && (!endsWord || isBoundary(text, at + 1))) cover(found, earliest, at + 1);
    active = nextActive;
    starts = nextStarts;
  }
  return found;
}

/** Ends ascend; a later match may start before earlier stretches, and swallows them. */
function cover(found: Stretch[], start: number, end: number): void {
  let from = start;
  for (let last = found.at(-1); last !== undefined && last.end > from; last = found.at(-1)) {
    from = Math.min(from, last.start);
    found.pop();
  }
  found.push({ start: from, end });
}

/** For a code unit, which states it may be: 1 or 0 by state. */
function createAcceptTables(states: readonly UnitSet[]): (unit: number) => Uint8Array {
  const tables = new Map<number, Uint8Array>();
  return (unit) => {
    const known = tables.get(unit);
    if (known !== undefined) return known;
    const table = Uint8Array.from(states, (state) => Number(isUnitOf(state, unit)));
    // Texts have few different ones; those of an odd text are forgotten again.
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

/** Whether a word starts or ends before `at`. Unlike `\b` of RegExp, every script has words. */
export function isBoundary(text: string, at: number): boolean {
  const before = at > 0 && WORD_UNIT.test(text.charAt(at - 1));
  const after = at < text.length && WORD_UNIT.test(text.charAt(at));
  return before !== after;
}
