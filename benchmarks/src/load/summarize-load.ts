import { summarizeLatencies } from './latency-summary.ts';
import type { LatencySummary } from './latency-summary.ts';

/** Result of a run of load; every call succeeded. */
export type LoadResult = {
  /** Number of all calls, including those outside the figures. */
  calls: number;
  elapsedMs: number;
  perSecond: number;
  latencyMs: LatencySummary;
  /** Time from sending to the first byte of the body, if known. */
  firstByteMs?: LatencySummary;
};

/** A finished call, `afterMs` since the start of the load, in milliseconds. */
export type EndedCall = { afterMs: number; latencyMs: number; firstByteMs: number | undefined };

/**
 * Summarizes a run. If the callers start spread over time, only calls count that ended between
 * twice the spread and the last start, when all callers were busy. The rate is concurrency divided
 * by mean duration (Little's law), because long calls come in waves and a count would depend on the
 * waves in the window.
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
