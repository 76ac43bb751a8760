import type { Turn } from '@witan/contracts';

/** Converts tool-call ids of a conversation to ids that a dialect accepts. */
export type ToolCallIdConverter = {
  /**
   * Starts a turn of the conversation. If it reuses the id of an earlier call, later results with
   * this id belong to the new call.
   */
  startTurn: () => void;
  forCall: (id: string) => string;
  /**
   * Returns the new id of the oldest call that had this id and has no result yet; if there is none,
   * an id that the dialect accepts.
   */
  forResult: (id: string) => string;
};

type IdRule = { pattern: RegExp; maxLength: number };

type Calls = { newIds: string[]; closedCount: number; turn: number };

/**
 * Creates the converter for a conversation. An id is unchanged if the dialect accepts it and no
 * earlier call has it. Providers of the other dialect use any text as id, and local runtimes repeat
 * ids in every answer (`call_0`), so other ids are rewritten: deterministically, with letters,
 * digits, `_` and `-` only, and never to an id that occurs in the conversation.
 */
export const createToolCallIdConverter = (
  turns: readonly Turn[],
  { pattern, maxLength }: IdRule,
): ToolCallIdConverter => {
  const usedIds = new Set<string>();
  const originalIds = new Set(turns.flatMap(idsOf));
  const callsOf = new Map<string, Calls>();
  /**
   * Next number to try as a suffix, by the text before it, so that many calls with one id take
   * linear time.
   */
  const nextNumber = new Map<string, number>();
  let turn = 0;

  const isAllowed = (id: string): boolean => id.length <= maxLength && pattern.test(id);
  const createId = (id: string): string => {
    const stem = id.slice(0, maxLength).replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    let name = stem;
    let number = nextNumber.get(stem) ?? 2;
    for (; usedIds.has(name) || originalIds.has(name); number += 1) {
      const end = `_${number}`;
      name = stem.slice(0, maxLength - end.length) + end;
    }
    nextNumber.set(stem, number);
    return name;
  };
  const closeEarlierCalls = (calls: Calls): void => {
    if (calls.turn !== turn) calls.closedCount = calls.newIds.length;
    calls.turn = turn;
  };

  return {
    startTurn: () => {
      turn += 1;
    },
    forCall: (id) => {
      const name = isAllowed(id) && !usedIds.has(id) ? id : createId(id);
      usedIds.add(name);
      const calls = callsOf.get(id) ?? { newIds: [], closedCount: 0, turn };
      closeEarlierCalls(calls);
      calls.newIds.push(name);
      callsOf.set(id, calls);
      return name;
    },
    forResult: (id) => {
      const calls = callsOf.get(id);
      const name = calls?.newIds[calls.closedCount];
      if (!calls || name === undefined) return isAllowed(id) ? id : createId(id);
      calls.closedCount += 1;
      return name;
    },
  };
};

const idsOf = ({ parts }: Turn): string[] =>
  parts.flatMap(({ part }) => (part.case === 'toolCall' ? [part.value.id] : []));
