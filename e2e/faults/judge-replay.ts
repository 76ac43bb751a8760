/** A strike, and the model calls that it may have caused to be repeated. */
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

/** The model calls of a run without faults, of a run with faults, and the faults. */
export type CallEvidence = {
  expected: { calls: readonly string[] };
  calls: readonly string[];
  injectedFaults: readonly InjectedFault[];
};

/**
 * Returns a violation for each call that was made more or less often than in the run without
 * faults, apart from the repetitions that the faults explain.
 */
export const judgeCalls = ({ expected, calls, injectedFaults }: CallEvidence): string[] => {
  const keys = new Set([...expected.calls, ...calls]);
  const count = (list: readonly string[], key: string): number =>
    list.filter((one) => one === key).length;
  return [...keys].flatMap((key) => {
    const made = count(calls, key);
    const unstoredCalls = (repeats: InjectedFault['repeats']): number =>
      injectedFaults.filter((one) => one.repeats === repeats && one.unstoredCalls.includes(key))
        .length;
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

/**
 * Replaces ids with one of the prefixes by numbers in the order in which they appear, and times by
 * a constant, so that equivalent runs have equal texts.
 */
export const replaceIdsAndTimes = (text: string, prefixes: readonly string[]): string => {
  const names = new Map<string, string>();
  return text
    .replaceAll(new RegExp(`\\b(${prefixes.join('|')})_\\w+`, 'g'), (id, prefix: string) => {
      const name = names.get(id) ?? `${prefix} ${names.size + 1}`;
      names.set(id, name);
      return name;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');
};
