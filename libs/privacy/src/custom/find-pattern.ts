import type { PatternAutomaton, UnitSet } from './compile-pattern.ts';

export type Stretch = { start: number; end: number };

/**
 * Every character that belongs to any match, as ascending stretches; matches that overlap are one
 * stretch. One pass: time is at most the text's length times the automaton's moves, whatever the
 * text is, which finding the leftmost longest matches one by one would not guarantee.
 */
export function findPattern(automaton: PatternAutomaton, text: string): Stretch[] {
  const { states, first, follow, isLast, startsWord, endsWord } = automaton;
  const accepts = states.map(createAccept);
  const canStart = createFirstTable(first, accepts);
  const found: Stretch[] = [];
  // Parallel lists: an active state and the earliest start that led to it. They are ascending by
  // start, so the first to reach a state is the earliest.
  let active: number[] = [];
  let starts: number[] = [];
  const seen = new Int32Array(states.length).fill(-1);

  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (active.length === 0 && !canStart(unit)) continue;
    const nextActive: number[] = [];
    const nextStarts: number[] = [];
    let earliest = -1;
    const enter = (state: number, start: number): void => {
      if (seen[state] === at || !accepts[state]?.(unit)) return;
      seen[state] = at;
      nextActive.push(state);
      nextStarts.push(start);
      if (earliest < 0 && isLast[state]) earliest = start;
    };
    active.forEach((state, index) => {
      for (const next of follow[state] ?? []) enter(next, starts[index] as number);
    });
    if (!startsWord || isBoundary(text, at)) for (const state of first) enter(state, at);
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

function createAccept({ ranges, negated }: UnitSet): (unit: number) => boolean {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1 && !negated) {
    const [from, to] = only;
    return (unit) => unit >= from && unit <= to;
  }
  return (unit) => ranges.some(([from, to]) => unit >= from && unit <= to) !== negated;
}

function createFirstTable(
  first: readonly number[],
  accepts: readonly ((unit: number) => boolean)[],
): (unit: number) => boolean {
  const test = (unit: number): boolean => first.some((state) => accepts[state]?.(unit));
  const ascii = Array.from({ length: 128 }, (_, unit) => test(unit));
  return (unit) => (unit < 128 ? (ascii[unit] as boolean) : test(unit));
}

const WORD_UNIT = /[\p{L}\p{N}_]/u;

/** Whether a word starts or ends before `at`. Unlike `\b` of RegExp, every script has words. */
export function isBoundary(text: string, at: number): boolean {
  const before = at > 0 && WORD_UNIT.test(text.charAt(at - 1));
  const after = at < text.length && WORD_UNIT.test(text.charAt(at));
  return before !== after;
}
