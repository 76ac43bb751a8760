import { describeChange, judgeCalls } from '../debates/find-debate-violations.ts';
import type { InjectedFault } from '../debates/find-debate-violations.ts';

export type AdvanceEvidence = {
  /** Outcome and calls of an advance without faults. */
  expected: { outcome: string; calls: readonly string[] };
  /** Outcome of the disturbed advance; undefined if it did not finish within its time limit. */
  outcome: string | undefined;
  hasAllAgents: boolean;
  mayMissAgents: boolean;
  /** Whether a replay of the stored decisions yields the same states. */
  isReplayEqual: boolean;
  calls: readonly string[];
  injectedFaults: readonly InjectedFault[];
  events: readonly string[];
  /** HTTP status of each attempt in order; the last one confirms a successful advance. */
  statuses: readonly number[];
};

const EXPECTED_EVENTS = ['simulation.tick.completed', 'simulation.report.ready'];
/** Statuses that confirm the turn or let the client retry; 0 means that the connection broke. */
const ACCEPTED_STATUSES: readonly number[] = [0, 200, 409, 502, 503, 504];

/**
 * Compares a disturbed advance with one without faults. Returns a message for each difference, and
 * for a failed replay, unexpected events in the outbox, and statuses that are no valid result.
 */
export const findAdvanceViolations = (evidence: AdvanceEvidence): string[] => {
  const { expected, outcome, events, statuses, isReplayEqual, mayMissAgents, hasAllAgents } =
    evidence;
  if (outcome === undefined)
    return [`the turn was not made; the client received ${statuses.join(', ')}`];
  // If an agent is absent, the panel may decide differently.
  const mayDiffer = mayMissAgents && !hasAllAgents;
  const unexpectedStatuses = statuses.filter((status) => !ACCEPTED_STATUSES.includes(status));
  return [
    ...(mayDiffer || outcome === expected.outcome
      ? []
      : [describeChange(expected.outcome, outcome)]),
    ...(mayDiffer ? [] : judgeCalls(evidence)),
    ...(isReplayEqual ? [] : ['the replay has different hashes']),
    ...(events.join() === EXPECTED_EVENTS.join()
      ? []
      : [`events in the outbox: ${events.join(', ')}`]),
    ...(unexpectedStatuses.length === 0
      ? []
      : [`the client received ${unexpectedStatuses.join(', ')}`]),
  ];
};
