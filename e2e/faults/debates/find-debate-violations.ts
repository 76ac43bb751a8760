export type Strike = {
  /** Received calls whose outcome was not stored. */
  unstored: readonly string[];
  /**
   * `exactly`: their process is dead, so each is repeated once. `at most`: it lives and may still
   * store some.
   */
  repeats: 'exactly' | 'at most';
};

export type DebateEvidence = {
  /** Outcome and calls of the undisturbed debate. */
  expected: { outcome: string; calls: readonly string[] };
  /** Undefined if the debate did not end in time. */
  outcome: string | undefined;
  calls: readonly string[];
  strikes: readonly Strike[];
  /** Messages that the conversation counts and contains, and events in the outbox. */
  stored: { counted: number; messages: number; events: number };
  /** The client's response; undefined without one in time. */
  answer: { status: number; isWhole: boolean } | undefined;
  /** No event had been sent when the process was struck, so the client may have got an error. */
  mayMissAnswer: boolean;
};

/** Compares a disturbed debate with an undisturbed one; returns the differences. */
export const findDebateViolations = (evidence: DebateEvidence): string[] => {
  const { expected, outcome, stored, answer, mayMissAnswer } = evidence;
  if (outcome === undefined) return ['it did not end'];
  const isAnswered = answer?.status === 200 && answer.isWhole;
  const response = answer ? `${answer.status}${answer.isWhole ? '' : ', not whole'}` : 'nothing';
  return [
    ...(outcome === expected.outcome ? [] : [describeChange(expected.outcome, outcome)]),
    ...judgeCalls(evidence),
    ...(stored.counted === stored.messages
      ? []
      : [`${stored.counted} messages counted, ${stored.messages} there`]),
    ...(stored.events === 1 ? [] : [`${stored.events} events in the outbox`]),
    ...(isAnswered || mayMissAnswer ? [] : [`its client was answered ${response}`]),
  ];
};

/** Compares the repeated calls with those that had to be repeated. */
export const judgeCalls = ({
  expected,
  calls,
  strikes,
}: {
  expected: Pick<DebateEvidence['expected'], 'calls'>;
  calls: readonly string[];
  strikes: readonly Strike[];
}): string[] => {
  const keys = new Set([...expected.calls, ...calls]);
  const count = (list: readonly string[], key: string): number =>
    list.filter((one) => one === key).length;
  return [...keys].flatMap((key) => {
    const made = count(calls, key);
    const unstored = (repeats: Strike['repeats']): number =>
      strikes.filter((strike) => strike.repeats === repeats && strike.unstored.includes(key))
        .length;
    const least = count(expected.calls, key) + unstored('exactly');
    const most = least + unstored('at most');
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    return made >= least && made <= most ? [] : [`${key}: asked ${made} times, not ${wanted}`];
  });
};

/** Describes the first differing line. */
export const describeChange = (expected: string, outcome: string): string => {
  const before = expected.split('\n');
  const now = outcome.split('\n');
  const at = now.findIndex((line, index) => line !== before[index]);
  const index = at < 0 ? now.length : at;
  return `another outcome: ${now[index]?.trim() ?? 'less'}, not ${before[index]?.trim() ?? 'more'}`;
};
