import { describeChange, judgeCalls } from '../debates/find-debate-violations.ts';
import type { Strike } from '../debates/find-debate-violations.ts';

export type AdvanceEvidence = {
  /** Outcome and calls of an advance without faults. */
  expected: { outcome: string; calls: readonly string[] };
  /** Outcome of the disturbed advance; undefined if it did not finish within its time limit. */
  outcome: string | undefined;
  isWhole: boolean;
  mayMissAgents: boolean;
  /** Whether a replay of the stored decisions yields the same states. */
  isReplayed: boolean;
  calls: readonly string[];
  strikes: readonly Strike[];
  events: readonly string[];
  /** HTTP status of each attempt in order; the last one confirms a successful advance. */
  statuses: readonly number[];
};

const EXPECTED_EVENTS = ['simulation.tick.completed', 'simulation.report.ready'];
/** Statuses that confirm the turn or let the client retry; 0 means that the connection broke. */
const HONEST: readonly number[] = [0, 200, 409, 502, 503, 504];

/**
 * Compares a disturbed advance with one without faults. Returns a message for each difference, and
 * for a failed replay, unexpected events in the outbox, and statuses that are no valid result.
 */
export const findAdvanceViolations = (evidence: AdvanceEvidence): string[] => {
  const { expected, outcome, events, statuses, isReplayed, mayMissAgents, isWhole } = evidence;
  if (outcome === undefined) return [`it was not made; its client got ${statuses.join(', ')}`];
  // If an agent is absent, the panel may decide differently.
  const isExcused = mayMissAgents && !isWhole;
  const dishonest = statuses.filter((status) => !HONEST.includes(status));
  return [
    ...(isExcused || outcome === expected.outcome
      ? []
      : [describeChange(expected.outcome, outcome)]),
    ...(isExcused ? [] : judgeCalls(evidence)),
    ...(isReplayed ? [] : ['its replay has other hashes']),
    ...(events.join() === EXPECTED_EVENTS.join()
      ? []
      : [`events in the outbox: ${events.join(', ')}`]),
    ...(dishonest.length === 0 ? [] : [`its client was answered ${dishonest.join(', ')}`]),
  ];
};
