import { summarizeLatencies } from './latency-summary.ts';
import type { LatencySummary } from './latency-summary.ts';

/** Result of a run of load, in which every call succeeded. */
export type LoadResult = {
  /** Number of all calls, including calls that the latencies leave out. */
  calls: number;
  elapsedMs: number;
  perSecond: number;
  latencyMs: LatencySummary;
  /** Time from sending a call to the first byte of the response body, if measured. */
  firstByteMs?: LatencySummary;
};

/** A finished call; `afterMs` is the time from the start of the run to the end of the call. */
export type EndedCall = { afterMs: number; latencyMs: number; firstByteMs: number | undefined };

/**
 * Summarizes a run. If the starts of the callers are spread over time, the latencies include only
 * calls that ended between `2 * spreadMs` and `maxMs`, when all callers were busy. The rate is then
 * concurrency divided by mean duration (Little's law), because long calls end in waves and a count
 * would depend on how many waves fall into this time.
 */
export const summarizeLoad = (
  limits: { inFlight: number; maxMs: number; spreadMs: number },
  ended: readonly EndedCall[],
  elapsedMs: number,
): LoadResult => {
  const { inFlight, maxMs, spreadMs } = limits;
  const isSpread = spreadMs > 0;
  const counted = isSpread
    ? ended.filter(({ afterMs }) => afterMs >= 2 * spreadMs && afterMs <= maxMs)
    : ended;
  const latencyMs = summarizeLatencies(counted.map((call) => call.latencyMs));
  const firstBytes = counted.flatMap(({ firstByteMs }) => firstByteMs ?? []);
  const perMs = isSpread ? inFlight / latencyMs.mean : ended.length / elapsedMs;
  return {
    calls: ended.length,
    elapsedMs,
    perSecond: perMs * 1_000,
    latencyMs,
    ...(firstBytes.length > 0 ? { firstByteMs: summarizeLatencies(firstBytes) } : {}),
  };
};
