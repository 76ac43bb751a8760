import { parsePattern, PatternError } from './parse-pattern.ts';
import type { PatternNode, UnitRange } from './parse-pattern.ts';

/**
 * A Glushkov automaton: it has no empty transitions and, after repeats are unfolded, one state per
 * character or class of the pattern.
 */
export type PatternAutomaton = {
  states: readonly UnitSet[];
  first: readonly number[];
  follow: readonly (readonly number[])[];
  isLast: readonly boolean[];
  transitions: number;
  startsWord: boolean;
  endsWord: boolean;
};

export type UnitSet = { ranges: readonly UnitRange[]; negated: boolean };

const STATES_MAX = 1000;
const TRANSITIONS_MAX = 1000;
/**
 * Maximum number of syntax nodes. Nested repeats of empty groups add nodes but no states, so a
 * limit on states would not bound them.
 */
const NODES_MAX = 20_000;

/**
 * Compiles a pattern to an automaton. Throws {@link PatternError} for unsupported syntax, for
 * patterns that match the empty text and for patterns that are too large.
 */
export function compilePattern(pattern: string): PatternAutomaton {
  const { node, startsWord, endsWord } = parsePattern(pattern);
  const states: UnitSet[] = [];
  const follow: Set<number>[] = [];
  const construction: Construction = { states, follow, transitions: 0, nodes: 0 };
  const { first, last, isNullable } = addNode(node, construction);
  if (isNullable) throw new PatternError('it matches the empty text', 0);
  return {
    states,
    first,
    follow: follow.map((successors) => [...successors]),
    isLast: states.map((_, state) => last.includes(state)),
    transitions: construction.transitions + first.length,
    startsWord,
    endsWord,
  };
}

type Construction = {
  states: UnitSet[];
  follow: Set<number>[];
  transitions: number;
  nodes: number;
};
type Fragment = { first: readonly number[]; last: readonly number[]; isNullable: boolean };

const EMPTY: Fragment = { first: [], last: [], isNullable: true };

function addNode(node: PatternNode, construction: Construction): Fragment {
  construction.nodes += 1;
  if (construction.nodes > NODES_MAX) throw new PatternError('it unfolds to too many parts', 0);
  switch (node.kind) {
    case 'set':
      return addState(node, construction);
    case 'sequence':
      return node.items.reduce<Fragment>(
        (done, item) => join(done, addNode(item, construction), construction),
        EMPTY,
      );
    case 'choice':
      return node.items
        .map((item) => addNode(item, construction))
        .reduce((a, b) => ({
          first: [...a.first, ...b.first],
          last: [...a.last, ...b.last],
          isNullable: a.isNullable || b.isNullable,
        }));
    case 'repeat':
      return addRepeat(node, construction);
  }
}

function addState({ ranges, negated }: UnitSet, { states, follow }: Construction): Fragment {
  const state = states.length;
  if (state === STATES_MAX)
    throw new PatternError(`it unfolds to more than ${STATES_MAX} characters`, 0);
  states.push({ ranges, negated });
  follow.push(new Set());
  return { first: [state], last: [state], isNullable: false };
}

function addRepeat(
  { item, min, max }: { item: PatternNode; min: number; max: number },
  construction: Construction,
): Fragment {
  let part = EMPTY;
  for (let count = 0; count < min; count += 1)
    part = join(part, addNode(item, construction), construction);
  if (max === Infinity) {
    const loop = addNode(item, construction);
    link(loop.last, loop.first, construction);
    return join(part, { ...loop, isNullable: true }, construction);
  }
  // Compiles `x{0,3}` as `(x(x(x)?)?)?`, because the number of transitions of `x?x?x?` grows
  // quadratically.
  let optional = EMPTY;
  for (let count = min; count < max; count += 1) {
    const occurrence = { ...addNode(item, construction), isNullable: false };
    optional = { ...join(occurrence, optional, construction), isNullable: true };
  }
  return join(part, optional, construction);
}

function join(a: Fragment, b: Fragment, construction: Construction): Fragment {
  link(a.last, b.first, construction);
  return {
    first: a.isNullable ? [...a.first, ...b.first] : a.first,
    last: b.isNullable ? [...a.last, ...b.last] : b.last,
    isNullable: a.isNullable && b.isNullable,
  };
}

function link(
  sources: readonly number[],
  targets: readonly number[],
  construction: Construction,
): void {
  for (const state of sources) {
    const follow = construction.follow[state] as Set<number>;
    construction.transitions -= follow.size;
    for (const next of targets) follow.add(next);
    construction.transitions += follow.size;
    if (construction.transitions > TRANSITIONS_MAX)
      throw new PatternError('it branches too much', 0);
  }
}
