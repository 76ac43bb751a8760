import { describeChange, judgeCalls } from '../debates/find-debate-violations.ts';
import type { Strike } from '../debates/find-debate-violations.ts';

/** All that is known of an advance that was disturbed. */
export type AdvanceEvidence = {
  /** Of the advance that nothing disturbed: what came of it, and the calls that it took. */
  expected: { outcome: string; calls: readonly string[] };
  /** Undefined: it was not made in time. */
  outcome: string | undefined;
  /** No agent was absent. */
  isWhole: boolean;
  /** The way to models was struck. */
  mayMissAgents: boolean;
  /** Whether another process computes the same states from what was decided. */
  isReplayed: boolean;
  /** All calls that the provider received, by what they are for. */
  calls: readonly string[];
  strikes: readonly Strike[];
  /** Types of the facts about it in the outbox, in order. */
  facts: readonly string[];
  /** What the client was answered, until the turn was made. */
  statuses: readonly number[];
};

/** A turn and the report of it. */
const FACTS = ['simulation.tick.completed', 'simulation.report.ready'];
/** What tells a client to try again, or that the turn was made. */
const HONEST: readonly number[] = [0, 200, 409, 502, 503, 504];

/** Holds an advance that was disturbed against one that was not; empty when they are the same. */
export const findAdvanceViolations = (evidence: AdvanceEvidence): string[] => {
  const { expected, outcome, facts, statuses, isReplayed, mayMissAgents, isWhole } = evidence;
  if (outcome === undefined) return [`it was not made; its client got ${statuses.join(', ')}`];
  // Without an agent there is another decision.
  const isExcused = mayMissAgents && !isWhole;
  const dishonest = statuses.filter((status) => !HONEST.includes(status));
  return [
    ...(isExcused || outcome === expected.outcome
      ? []
      : [describeChange(expected.outcome, outcome)]),
    ...(isExcused ? [] : judgeCalls(evidence)),
    ...(isReplayed ? [] : ['its replay has other hashes']),
    ...(facts.join() === FACTS.join() ? [] : [`facts in the outbox: ${facts.join(', ')}`]),
    ...(dishonest.length === 0 ? [] : [`its client was answered ${dishonest.join(', ')}`]),
  ];
};
