import { describeChange, judgeCalls } from '../judge-replay.ts';
import type { InjectedFault } from '../judge-replay.ts';

export type AdvanceEvidence = {
  /** Outcome and model calls of an advance without faults. */
  expected: { outcome: string; calls: readonly string[] };
  /**
   * Outcome of the advance with the fault; undefined if the advance did not finish within its time
   * limit.
   */
  outcome: string | undefined;
  hasAllAgents: boolean;
  mayMissAgents: boolean;
  /** Whether a replay of the stored decisions yields the same states. */
  isReplayEqual: boolean;
  calls: readonly string[];
  injectedFaults: readonly InjectedFault[];
  events: readonly string[];
  /** HTTP status of each of the client's attempts, in order; 0 if there was no response. */
  statuses: readonly number[];
};

const EXPECTED_EVENTS = ['simulation.tick.completed', 'simulation.report.ready'];
/** Statuses that confirm the turn or let the client retry; 0 means that the connection broke. */
const ACCEPTED_STATUSES: readonly number[] = [0, 200, 409, 502, 503, 504];

/**
 * Compares an advance with a fault to one without faults. Returns violations for another outcome,
 * calls that the fault does not explain, a failed replay, unexpected events in the outbox and
 * unexpected HTTP statuses. If the advance did not finish, that is the only violation.
 */
export const findAdvanceViolations = (evidence: AdvanceEvidence): string[] => {
  const { expected, outcome, events, statuses, isReplayEqual, mayMissAgents, hasAllAgents } =
    evidence;
  if (outcome === undefined)
    return [`the turn was not made; the client received ${statuses.join(', ')}`];
  // A panel without some of its agents may decide differently, so the outcomes are not compared.
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
