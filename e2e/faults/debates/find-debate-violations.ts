export type InjectedFault = {
  /** Keys of the calls that the provider had received but whose outcome was not yet stored. */
  unstoredCalls: readonly string[];
  /**
   * How often the calls in `unstoredCalls` must be repeated. `exactly`: once each, because their
   * process is dead. `at most`: once each or not at all, because their process lives and may still
   * store the outcomes.
   */
  repeats: 'exactly' | 'at most';
};

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
 * Compares a debate with a fault to one without faults. Returns a violation for each difference,
 * and for a wrong number of messages, events or responses.
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

/**
 * Returns a violation for each call that is missing, unknown, or repeated more often than the
 * faults explain.
 */
export const judgeCalls = ({
  expected,
  calls,
  injectedFaults,
}: {
  expected: Pick<DebateEvidence['expected'], 'calls'>;
  calls: readonly string[];
  injectedFaults: readonly InjectedFault[];
}): string[] => {
  const keys = new Set([...expected.calls, ...calls]);
  const count = (list: readonly string[], key: string): number =>
    list.filter((one) => one === key).length;
  return [...keys].flatMap((key) => {
    const made = count(calls, key);
    const unstoredCalls = (repeats: InjectedFault['repeats']): number =>
      injectedFaults.filter(
        (injectedFault) =>
          injectedFault.repeats === repeats && injectedFault.unstoredCalls.includes(key),
      ).length;
    const least = count(expected.calls, key) + unstoredCalls('exactly');
    const most = least + unstoredCalls('at most');
    const expectedTimes = least === most ? `${least}` : `${least} to ${most}`;
    return made >= least && made <= most
      ? []
      : [`${key}: made ${made} times, not ${expectedTimes}`];
  });
};

/** Returns a violation that quotes the first line in which two outcomes differ. */
export const describeChange = (expected: string, outcome: string): string => {
  const before = expected.split('\n');
  const now = outcome.split('\n');
  const at = now.findIndex((line, index) => line !== before[index]);
  const index = at < 0 ? now.length : at;
  return `another outcome: ${now[index]?.trim() ?? 'nothing'}, not ${before[index]?.trim() ?? 'nothing'}`;
};
