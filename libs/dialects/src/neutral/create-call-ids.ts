import type { Turn } from '@witan/contracts';

/** Assigns tool-call ids that a dialect accepts. */
export type CallIds = {
  /**
   * Must precede the calls and results of each turn. Results match only calls of the turn before.
   */
  startTurn: () => void;
  ofCall: (id: string) => string;
  /** Returns the new id of the oldest call with this id that has no result. */
  ofResult: (id: string) => string;
};

export type IdRule = { pattern: RegExp; maxLength: number };

type Calls = { names: string[]; settled: number; turn: number };

/**
 * Ids that the dialect accepts and that are unique are unchanged. Other providers use any text, and
 * local runtimes repeat ids in every answer (`call_0`), so other ids are rewritten:
 * deterministically, with letters, digits, `_` and `-` only, and never to an id that occurs in the
 * conversation.
 */
export const createCallIds = (turns: readonly Turn[], { pattern, maxLength }: IdRule): CallIds => {
  const taken = new Set<string>();
  const given = new Set(turns.flatMap(idsOf));
  const callsOf = new Map<string, Calls>();
  /** Next number to try per stem, so that many calls with one id take linear time. */
  const numberOf = new Map<string, number>();
  let turn = 0;

  const isAllowed = (id: string): boolean => id.length <= maxLength && pattern.test(id);
  const invent = (id: string): string => {
    const stem = id.slice(0, maxLength).replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    let name = stem;
    let number = numberOf.get(stem) ?? 2;
    for (; taken.has(name) || given.has(name); number += 1) {
      const end = `_${number}`;
      name = stem.slice(0, maxLength - end.length) + end;
    }
    numberOf.set(stem, number);
    return name;
  };
  const settle = (calls: Calls): void => {
    if (calls.turn !== turn) calls.settled = calls.names.length;
    calls.turn = turn;
  };

  return {
    startTurn: () => {
      turn += 1;
    },
    ofCall: (id) => {
      const name = isAllowed(id) && !taken.has(id) ? id : invent(id);
      taken.add(name);
      const calls = callsOf.get(id) ?? { names: [], settled: 0, turn };
      settle(calls);
      calls.names.push(name);
      callsOf.set(id, calls);
      return name;
    },
    ofResult: (id) => {
      const calls = callsOf.get(id);
      const name = calls?.names[calls.settled];
      if (!calls || name === undefined) return isAllowed(id) ? id : invent(id);
      calls.settled += 1;
      return name;
    },
  };
};

const idsOf = ({ parts }: Turn): string[] =>
  parts.flatMap(({ part }) => (part.case === 'toolCall' ? [part.value.id] : []));
