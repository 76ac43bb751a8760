/** What was under way when something was struck. */
export type Strike = {
  /** Calls that the provider had received and whose outcome was not kept. */
  unkept: readonly string[];
  /**
   * `exactly`: their process is dead, so each of them is made once more. `at most`: it lives, and
   * may keep some of them yet.
   */
  repeats: 'exactly' | 'at most';
};

/** All that is known of a debate that was disturbed. */
export type DebateEvidence = {
  /** Of the debate that nothing disturbed: what came of it, and the calls that it took. */
  expected: { outcome: string; calls: readonly string[] };
  /** Undefined: it did not end in time. */
  outcome: string | undefined;
  /** All calls that the provider received, by what they are for. */
  calls: readonly string[];
  strikes: readonly Strike[];
  /** Of the conversation: messages that it says it has, and has; and facts in the outbox. */
  kept: { counted: number; messages: number; facts: number };
  /** What the client that asked was answered; undefined: nothing in time. */
  answer: { status: number; isWhole: boolean } | undefined;
  /** Nothing had been told when it was struck: its client may have got an error. */
  mayMissAnswer: boolean;
};

/** Holds a debate that was disturbed against one that was not; empty when they are the same. */
export const findDebateViolations = (evidence: DebateEvidence): string[] => {
  const { expected, outcome, kept, answer, mayMissAnswer } = evidence;
  if (outcome === undefined) return ['it did not end'];
  const isAnswered = answer?.status === 200 && answer.isWhole;
  const saidTo = answer ? `${answer.status}${answer.isWhole ? '' : ', not whole'}` : 'nothing';
  return [
    ...(outcome === expected.outcome ? [] : [describeChange(expected.outcome, outcome)]),
    ...judgeCalls(evidence),
    ...(kept.counted === kept.messages
      ? []
      : [`${kept.counted} messages counted, ${kept.messages} there`]),
    ...(kept.facts === 1 ? [] : [`${kept.facts} facts in the outbox`]),
    ...(isAnswered || mayMissAnswer ? [] : [`its client was answered ${saidTo}`]),
  ];
};

/** How often each call was made beyond the minimum, and how often it had to be. */
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
    const unkept = (repeats: Strike['repeats']): number =>
      strikes.filter((strike) => strike.repeats === repeats && strike.unkept.includes(key)).length;
    const least = count(expected.calls, key) + unkept('exactly');
    const most = least + unkept('at most');
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    return made >= least && made <= most ? [] : [`${key}: asked ${made} times, not ${wanted}`];
  });
};

/** The first line that differs. */
export const describeChange = (expected: string, outcome: string): string => {
  const before = expected.split('\n');
  const now = outcome.split('\n');
  const at = now.findIndex((line, place) => line !== before[place]);
  const place = at < 0 ? now.length : at;
  return `another outcome: ${now[place]?.trim() ?? 'less'}, not ${before[place]?.trim() ?? 'more'}`;
};
