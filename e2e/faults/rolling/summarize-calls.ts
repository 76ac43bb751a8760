import type { CallRecord } from '../completions/run-call.ts';
import type { FlowCall } from '../flows/flow.ts';
import type { Restart } from './find-rolling-violations.ts';

type FlowFigures = { calls: number; p50Ms: number; slowestMs: number; during: string };

/**
 * Returns for each flow the number of its calls, their median and maximum duration, and the
 * restarts during the slowest call.
 */
export const summarizeCalls = (
  endedCalls: readonly FlowCall[],
  completions: readonly CallRecord[],
  restarts: readonly Restart[],
): Record<string, FlowFigures> => {
  const all = [
    ...completions.map(({ startedAt, endedAt, isStreamed }) => ({
      flow: isStreamed ? 'load, streamed' : 'load',
      startedAt,
      endedAt,
    })),
    ...endedCalls,
  ];
  const during = ({ startedAt, endedAt }: (typeof all)[number]): string =>
    restarts
      .filter(({ at, stopMs, startMs }) => at < endedAt && startedAt < at + stopMs + startMs)
      .map(({ service, number }) => `${service} ${number}`)
      .join(', ');
  return Object.fromEntries(
    [...Map.groupBy(all, ({ flow }) => flow)].map(([flow, calls]) => {
      const durationOf = (call: (typeof all)[number]): number => call.endedAt - call.startedAt;
      const sorted = calls.toSorted((a, b) => durationOf(a) - durationOf(b));
      const slowest = sorted.at(-1)!;
      const p50Ms = durationOf(sorted[Math.floor(sorted.length / 2)]!);
      const figures = { p50Ms, slowestMs: durationOf(slowest), during: during(slowest) };
      return [flow, { calls: calls.length, ...figures }];
    }),
  );
};
