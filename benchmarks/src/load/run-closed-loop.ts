import { setTimeout as pause } from 'node:timers/promises';
import { summarizeLatencies } from './latency-summary.ts';
import type { LatencySummary } from './latency-summary.ts';

/**
 * Concurrency and limits of a run of load. No call starts after `maxMs` or after `maxCalls` calls.
 */
export type LoadLimits = {
  inFlight: number;
  maxMs: number;
  maxCalls: number;
  /**
   * Time over which the starts of the callers are spread evenly; if 0 or absent, all callers start
   * at once.
   */
  spreadMs?: number;
};

/**
 * Makes one call. Resolves with the milliseconds to the first byte of the response, or undefined if
 * they are not measured.
 */
export type LoadCall = () => Promise<number | undefined>;

/**
 * Runs `inFlight` callers, each of which starts its next call when its previous call has ended.
 * Resolves when all callers have ended; rejects at the first failed call.
 */
export const runClosedLoop = async (limits: LoadLimits, call: LoadCall): Promise<LoadResult> => {
  const { inFlight, maxMs, maxCalls, spreadMs = 0 } = limits;
  const ended: EndedCall[] = [];
  const startedAt = performance.now();
  let started = 0;
  let failed = false;
  const runCaller = async (_: unknown, index: number): Promise<void> => {
    if (spreadMs > 0) await pause((spreadMs * index) / inFlight);
    for (;;) {
      const sentAt = performance.now();
      if (failed || started >= maxCalls || sentAt - startedAt >= maxMs) return;
      started += 1;
      try {
        const firstByteMs = await call();
        const now = performance.now();
        ended.push({ afterMs: now - startedAt, latencyMs: now - sentAt, firstByteMs });
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, runCaller));
  const elapsedMs = performance.now() - startedAt;
  return summarizeLoad({ inFlight, maxMs, spreadMs }, ended, elapsedMs);
};

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
