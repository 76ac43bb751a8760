import { describeChange, judgeCalls } from '../debates/find-debate-violations.ts';
import type { Strike } from '../debates/find-debate-violations.ts';

export type AdvanceEvidence = {
  /** The outcome and the calls of an undisturbed advance. */
  expected: { outcome: string; calls: readonly string[] };
  /** The outcome; undefined if the advance did not finish in time. */
  outcome: string | undefined;
  isWhole: boolean;
  mayMissAgents: boolean;
  /** Whether another process computes the same states from the stored decisions. */
  isReplayed: boolean;
  calls: readonly string[];
  strikes: readonly Strike[];
  events: readonly string[];
  /** Statuses returned to the client until the turn was made. */
  statuses: readonly number[];
};

const EXPECTED_EVENTS = ['simulation.tick.completed', 'simulation.report.ready'];
/** Statuses that ask the client to retry, or that confirm the turn; 0 is a broken connection. */
const HONEST: readonly number[] = [0, 200, 409, 502, 503, 504];

/** Compares a disturbed advance with an undisturbed one; returns the differences. */
export const findAdvanceViolations = (evidence: AdvanceEvidence): string[] => {
  const { expected, outcome, events, statuses, isReplayed, mayMissAgents, isWhole } = evidence;
  if (outcome === undefined) return [`it was not made; its client got ${statuses.join(', ')}`];
  // Without one agent the panel may decide differently.
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
