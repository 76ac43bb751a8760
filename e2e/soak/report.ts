import { writeResult } from '../faults/with-home.ts';
import { describeSlope, SLOPE_LIMIT_MIB } from './judge-memory.ts';
import type { ReceivedCall } from './open-provider.ts';
import { IN_FLIGHT } from './run-soak.ts';
import type { SoakOutcome } from './run-soak.ts';
import type { SoakRecord } from './send-call.ts';
import { ABORTED_SHARE, ABORT_WINDOWS } from './soak-call.ts';

const VIOLATIONS_SHOWN = 20;

export const countCalls = ({ records, received, certificates }: SoakOutcome) => ({
  calls: records.length,
  complete: records.filter(({ outcome }) => outcome === 'complete').length,
  left: records.filter(({ outcome }) => outcome === 'left').length,
  received: received.length,
  certificates,
  /**
   * Number of calls that were aborted at the provider, by the phase of the response in which they
   * were.
   */
  aborted: Object.fromEntries(
    ABORT_WINDOWS.map((window) => [
      window,
      received.filter(({ ending, phase }) => ending === 'aborted' && phase === window).length,
    ]),
  ),
  abortMs: measureAborts(records, received),
});

/**
 * Returns quantiles of the time from the client's disconnect to the end of the provider's call, in
 * milliseconds.
 */
const measureAborts = (
  records: readonly SoakRecord[],
  received: readonly ReceivedCall[],
): { p50: number; p99: number; max: number } => {
  const disconnectedAt = new Map(records.map((record) => [record.id, record.disconnectedAt]));
  const lags = received
    .filter(({ ending }) => ending === 'aborted')
    .map(({ id, endedAt }) => endedAt - (disconnectedAt.get(id) ?? endedAt))
    .toSorted((a, b) => a - b);
  const rank = (share: number): number => lags[Math.ceil(share * lags.length) - 1] ?? 0;
  return { p50: rank(0.5), p99: rank(0.99), max: rank(1) };
};

export const printReport = (outcome: SoakOutcome): void => {
  const { minutes, samples, memory, upstreamLeft, log, violations } = outcome;
  const { aborted, abortMs, ...counts } = countCalls(outcome);
  const first = samples[0];
  const last = samples.at(-1);
  const mib = (value: number | undefined): string => `${value?.toFixed(0)} MiB`;
  const verdict = memory.isJudged
    ? `at most ${SLOPE_LIMIT_MIB}`
    : 'the run is too short for a verdict';
  const lines = [
    `${minutes} min, ${IN_FLIGHT} streams at once: ${JSON.stringify(counts)}`,
    `aborted in each window: ${JSON.stringify(aborted)}, after ms ${JSON.stringify(abortMs)}`,
    `rss ${mib(first?.rssMib)} to ${mib(last?.rssMib)}: ${describeSlope(memory.rss)} (${verdict})`,
    `heap ${mib(first?.heapMib)} to ${mib(last?.heapMib)}: ${describeSlope(memory.heap)} (${verdict})`,
    `open at the provider: ${JSON.stringify(upstreamLeft)}`,
    `log: ${log.lines} lines, ${log.errors.length} errors, warnings ${JSON.stringify(log.warnings)}`,
    ...violations.slice(0, VIOLATIONS_SHOWN).map((one) => `VIOLATION ${one}`),
    `${violations.length} violations`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** Writes today's result file; returns its path relative to the repository's root. */
export const writeReport = (outcome: SoakOutcome, seed: number): Promise<string> => {
  const { minutes, samples, memory, upstreamLeft, log, violations } = outcome;
  return writeResult(
    { folder: 'soak/results' },
    {
      seed,
      minutes,
      inFlight: IN_FLIGHT,
      abortedShare: ABORTED_SHARE,
      counts: countCalls(outcome),
      slopeLimitMibPerMinute: SLOPE_LIMIT_MIB,
      memory: { rss: memory.rss, heap: memory.heap, isJudged: memory.isJudged },
      upstreamLeft,
      log: { lines: log.lines, errors: log.errors.length, warnings: log.warnings },
      violations: violations.length,
      samples,
    },
  );
};
