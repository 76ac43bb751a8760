/** A call of the traffic. `error` is empty if the response was complete. */
export type TrafficCall = {
  kind: 'completion' | 'streamed' | 'chat';
  /** HTTP status; 0 if there was no response. */
  status: number;
  error: string;
  startedAt: number;
  endedAt: number;
};

export type TrafficFigures = {
  calls: number;
  failed: number;
  /** Number of calls of each kind. */
  kinds: Record<string, number>;
  /** Number of calls of each status. */
  statuses: Record<string, number>;
  slowestMs: number;
};

/** Fewer calls show nothing about a disturbance. */
const CALLS_MIN = 20;
const KINDS = ['completion', 'streamed', 'chat'] as const;
const SHOWN = 10;

const countBy = (values: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, (one) => one)].map(([one, all]) => [one, all.length]));

export const summarizeTraffic = (calls: readonly TrafficCall[]): TrafficFigures => ({
  calls: calls.length,
  failed: calls.filter(({ error }) => error !== '').length,
  kinds: countBy(calls.map(({ kind }) => kind)),
  statuses: countBy(calls.map(({ status }) => String(status))),
  slowestMs: Math.max(0, ...calls.map(({ startedAt, endedAt }) => endedAt - startedAt)),
});

/**
 * Returns a violation for each failed call, of which at most ten are described, and one if there
 * were too few calls or none of some kind.
 */
export const findTrafficViolations = (calls: readonly TrafficCall[]): string[] => {
  const failed = calls.filter(({ error }) => error !== '');
  const missing = KINDS.filter((kind) => calls.every((call) => call.kind !== kind));
  return [
    ...failed
      .slice(0, SHOWN)
      .map(
        ({ kind, error, startedAt }) => `${new Date(startedAt).toISOString()} ${kind}: ${error}`,
      ),
    ...(failed.length > SHOWN ? [`${failed.length - SHOWN} more failed calls`] : []),
    ...(calls.length < CALLS_MIN ? [`only ${calls.length} calls`] : []),
    ...missing.map((kind) => `no call of the kind ${kind}`),
  ];
};
