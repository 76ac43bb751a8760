export type Strike = {
  /** Keys of the received calls whose outcome was not stored. */
  unstored: readonly string[];
  /**
   * `exactly`: their process is dead, so each call is repeated once. `at most`: the process lives
   * and may still store some outcomes.
   */
  repeats: 'exactly' | 'at most';
};

export type DebateEvidence = {
  /** The outcome and the calls of the undisturbed debate. */
  expected: { outcome: string; calls: readonly string[] };
  /** The outcome; undefined if the debate did not end in time. */
  outcome: string | undefined;
  calls: readonly string[];
  strikes: readonly Strike[];
  /** Number of messages that the conversation counts and contains, and of events in the outbox. */
  stored: { counted: number; messages: number; events: number };
  /** The client's response; undefined if none arrived in time. */
  answer: { status: number; isWhole: boolean } | undefined;
  /**
   * Set if no event had been sent when the process was struck, so that the client may have got an
   * error.
   */
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

/** Returns the calls that are missing, unknown or repeated without need. */
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

/** Describes the first line in which two outcomes differ. */
export const describeChange = (expected: string, outcome: string): string => {
  const before = expected.split('\n');
  const now = outcome.split('\n');
  const at = now.findIndex((line, index) => line !== before[index]);
  const index = at < 0 ? now.length : at;
  return `another outcome: ${now[index]?.trim() ?? 'less'}, not ${before[index]?.trim() ?? 'more'}`;
};
