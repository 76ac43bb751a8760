import type { CallTimes } from '../debates/council-provider.ts';

/**
 * Start and end of an advance at the client, and its calls at the provider, in milliseconds on one
 * clock.
 */
export type AdvanceTimes = { sentAt: number; endedAt: number; calls: readonly CallTimes[] };

export type AdvancePath = {
  wallMs: number;
  /**
   * Time of the slowest scenario, summed over the slowest call of each of its rounds. Scenarios run
   * concurrently, so this is the minimum duration for any orchestration.
   */
  criticalMs: number;
  /** Time from the client's request to the first provider call. */
  beginMs: number;
  /** Time from the provider's last byte to the client's last byte: the engine and the commit. */
  tailMs: number;
};

/** Splits an advance's duration into its parts. Throws if no model was called. */
export const toAdvancePath = ({ sentAt, endedAt, calls }: AdvanceTimes): AdvancePath => {
  if (calls.length === 0) throw new Error('An advance asked nobody.');
  const durationOf = (call: CallTimes): number => call.endedAt - call.arrivedAt;
  const councils = [...Map.groupBy(calls, ({ scenario }) => scenario).values()].map((council) =>
    [...Map.groupBy(council, ({ round }) => round).values()]
      .map((round) => Math.max(...round.map(durationOf)))
      .reduce((sum, slowest) => sum + slowest, 0),
  );
  return {
    wallMs: endedAt - sentAt,
    criticalMs: Math.max(...councils),
    beginMs: Math.min(...calls.map(({ arrivedAt }) => arrivedAt)) - sentAt,
    tailMs: endedAt - Math.max(...calls.map((call) => call.endedAt)),
  };
};
