import type { Turn } from '@witan/contracts';

/** Names tool calls so that a dialect takes their ids. */
export type CallIds = {
  /** A new turn: what it calls again was not answered before, and never will be. */
  startTurn: () => void;
  /** The id of the next call, in the order of the conversation. */
  ofCall: (id: string) => string;
  /** The id of the call that a result answers: the oldest of that name without an answer. */
  ofResult: (id: string) => string;
};

/** What a dialect takes as an id of a call. */
export type IdRule = { pattern: RegExp; maxLength: number };

/** The new ids of the calls of one old id, how many of them are over, and the turn of the last. */
type Calls = { names: string[]; settled: number; turn: number };

/**
 * A dialect takes ids by its rule, each for one call alone. Other providers write any text, and
 * local runtimes begin anew with every answer (`call_0`), so ids are rewritten where they must be,
 * the same way each time and never to an id that the conversation has elsewhere. What is written
 * anew has letters, digits, `_` and `-` only.
 */
export const createCallIds = (turns: readonly Turn[], { pattern, maxLength }: IdRule): CallIds => {
  const taken = new Set<string>();
  const given = new Set(turns.flatMap(idsOf));
  const callsOf = new Map<string, Calls>();
  /** The number to try next; a conversation may have any number of calls of one id. */
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
