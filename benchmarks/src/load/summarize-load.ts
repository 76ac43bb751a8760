import { summarizeLatencies } from './latency-summary.ts';
import type { LatencySummary } from './latency-summary.ts';

/** What a stretch of load measured; every call of it succeeded. */
export type LoadResult = {
  /** All of them, whether they are in the figures or not. */
  calls: number;
  elapsedMs: number;
  perSecond: number;
  latencyMs: LatencySummary;
  /** From sending to the first byte of the body, where calls tell it. */
  firstByteMs?: LatencySummary;
};

/** A call that ended, `afterMs` since the load began; all in milliseconds. */
export type EndedCall = { afterMs: number; latencyMs: number; firstByteMs: number | undefined };

/**
 * Sums a stretch up. Of a spread one only what ended between twice the spread and the last start
 * counts, when all callers were busy. Its rate is the calls in flight over their mean time
 * (Little's law): calls that take long come in waves, and counting them would count the waves that
 * happen to fall into the window.
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
