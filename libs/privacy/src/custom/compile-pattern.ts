import { parsePattern, PatternError } from './parse-pattern.ts';
import type { PatternNode, UnitRange } from './parse-pattern.ts';

/** An automaton without empty moves (Glushkov): a state is one character of the pattern. */
export type PatternAutomaton = {
  states: readonly UnitSet[];
  first: readonly number[];
  follow: readonly (readonly number[])[];
  isLast: readonly boolean[];
  /** Ways from one character to the next: what a character of a text costs at most. */
  moves: number;
  startsWord: boolean;
  endsWord: boolean;
};

export type UnitSet = { ranges: readonly UnitRange[]; negated: boolean };

const STATES_MAX = 1000;
const MOVES_MAX = 1000;
/** Parts that it unfolds to: groups of nothing add no states, and would unfold for ever. */
const NODES_MAX = 20_000;

/** Throws {@link PatternError}: for what the language lacks, for a pattern that is too large. */
export function compilePattern(pattern: string): PatternAutomaton {
  const { node, startsWord, endsWord } = parsePattern(pattern);
  const states: UnitSet[] = [];
  const follow: Set<number>[] = [];
  const building: Building = { states, follow, moves: 0, nodes: 0 };
  const { first, last, isEmpty } = addNode(node, building);
  if (isEmpty) throw new PatternError('it matches the empty text', 0);
  return {
    states,
    first,
    follow: follow.map((one) => [...one]),
    isLast: states.map((_, state) => last.includes(state)),
    moves: building.moves + first.length,
    startsWord,
    endsWord,
  };
}

type Building = { states: UnitSet[]; follow: Set<number>[]; moves: number; nodes: number };
type Part = { first: readonly number[]; last: readonly number[]; isEmpty: boolean };

const NOTHING: Part = { first: [], last: [], isEmpty: true };

function addNode(node: PatternNode, building: Building): Part {
  building.nodes += 1;
  if (building.nodes > NODES_MAX) throw new PatternError('it unfolds to too many parts', 0);
  switch (node.kind) {
    case 'set':
      return addState(node, building);
    case 'sequence':
      return node.items.reduce<Part>(
        (done, item) => join(done, addNode(item, building), building),
        NOTHING,
      );
    case 'choice':
      return node.items
        .map((item) => addNode(item, building))
        .reduce((a, b) => ({
          first: [...a.first, ...b.first],
          last: [...a.last, ...b.last],
          isEmpty: a.isEmpty || b.isEmpty,
        }));
    case 'repeat':
      return addRepeat(node, building);
  }
}

function addState({ ranges, negated }: UnitSet, { states, follow }: Building): Part {
  const state = states.length;
  if (state === STATES_MAX)
    throw new PatternError(`it unfolds to more than ${STATES_MAX} characters`, 0);
  states.push({ ranges, negated });
  follow.push(new Set());
  return { first: [state], last: [state], isEmpty: false };
}

function addRepeat(
  { item, min, max }: { item: PatternNode; min: number; max: number },
  building: Building,
): Part {
  let part = NOTHING;
  for (let count = 0; count < min; count += 1) part = join(part, addNode(item, building), building);
  if (max === Infinity) {
    const again = addNode(item, building);
    link(again.last, again.first, building);
    return join(part, { ...again, isEmpty: true }, building);
  }
  // `x{0,3}` as `(x(x(x)?)?)?`: in a row every x would lead to each one behind it.
  let optional = NOTHING;
  for (let count = min; count < max; count += 1) {
    const one = { ...addNode(item, building), isEmpty: false };
    optional = { ...join(one, optional, building), isEmpty: true };
  }
  return join(part, optional, building);
}

function join(a: Part, b: Part, building: Building): Part {
  link(a.last, b.first, building);
  return {
    first: a.isEmpty ? [...a.first, ...b.first] : a.first,
    last: b.isEmpty ? [...a.last, ...b.last] : b.last,
    isEmpty: a.isEmpty && b.isEmpty,
  };
}

function link(from: readonly number[], to: readonly number[], building: Building): void {
  for (const state of from) {
    const follow = building.follow[state] as Set<number>;
    building.moves -= follow.size;
    for (const next of to) follow.add(next);
    building.moves += follow.size;
    if (building.moves > MOVES_MAX) throw new PatternError('it branches too much', 0);
  }
}
