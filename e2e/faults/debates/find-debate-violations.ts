import { describeChange, judgeCalls } from '../judge-replay.ts';
import type { InjectedFault } from '../judge-replay.ts';

export type DebateEvidence = {
  /** Outcome and model calls of the debate without faults. */
  expected: { outcome: string; calls: readonly string[] };
  /**
   * Outcome of the debate with the fault; undefined if the debate did not end within its time
   * limit.
   */
  outcome: string | undefined;
  calls: readonly string[];
  injectedFaults: readonly InjectedFault[];
  /**
   * The conversation's message counter, its number of messages, and its number of events in the
   * outbox.
   */
  stored: { messageCount: number; messages: number; events: number };
  /** The response to the client; undefined if none arrived within the time limit. */
  answer: { status: number; isComplete: boolean } | undefined;
  /**
   * Set if the process was killed before it had sent the first event, so that the client may have
   * got an error.
   */
  mayMissAnswer: boolean;
};

/**
 * Compares a debate with a fault to one without faults. Returns violations for another outcome,
 * calls that the fault does not explain, a wrong number of messages or events, and a missing or
 * incomplete response. If the debate did not end, that is the only violation.
 */
export const findDebateViolations = (evidence: DebateEvidence): string[] => {
  const { expected, outcome, stored, answer, mayMissAnswer } = evidence;
  if (outcome === undefined) return ['the debate did not end'];
  const isAnswered = answer?.status === 200 && answer.isComplete;
  const response = answer
    ? `${answer.status}${answer.isComplete ? '' : ', incomplete'}`
    : 'nothing';
  return [
    ...(outcome === expected.outcome ? [] : [describeChange(expected.outcome, outcome)]),
    ...judgeCalls(evidence),
    ...(stored.messageCount === stored.messages
      ? []
      : [`${stored.messageCount} messages counted, ${stored.messages} stored`]),
    ...(stored.events === 1 ? [] : [`${stored.events} events in the outbox`]),
    ...(isAnswered || mayMissAnswer ? [] : [`the client received ${response}`]),
  ];
};
