import type { CallTimes } from '../debates/council-provider.ts';

/** One advance as its client and its provider saw it; milliseconds of one clock. */
export type AdvanceTimes = { sentAt: number; endedAt: number; calls: readonly CallTimes[] };

/** What a turn took, and what its models took of that. */
export type AdvancePath = {
  wallMs: number;
  /**
   * Of the scenario that takes longest: the slowest agent of each round. All scenarios decide at
   * once, so this is what no orchestration can save.
   */
  criticalMs: number;
  /** From the client's sending to the first call that the provider got. */
  beginMs: number;
  /** From the provider's last word to the client's last byte: the engine, and what is written. */
  tailMs: number;
};

/** Throws when no model was asked. */
export const toAdvancePath = ({ sentAt, endedAt, calls }: AdvanceTimes): AdvancePath => {
  if (calls.length === 0) throw new Error('An advance asked nobody.');
  const took = (call: CallTimes): number => call.endedAt - call.arrivedAt;
  const councils = [...Map.groupBy(calls, ({ scenario }) => scenario).values()].map((council) =>
    [...Map.groupBy(council, ({ round }) => round).values()]
      .map((round) => Math.max(...round.map(took)))
      .reduce((sum, slowest) => sum + slowest, 0),
  );
  return {
    wallMs: endedAt - sentAt,
    criticalMs: Math.max(...councils),
    beginMs: Math.min(...calls.map(({ arrivedAt }) => arrivedAt)) - sentAt,
    tailMs: endedAt - Math.max(...calls.map((call) => call.endedAt)),
  };
};
