import { summarizeLatencies } from './latency-summary.ts';
import type { LatencySummary } from './latency-summary.ts';

/**
 * Concurrency and limits of a run of load. No call starts after `maxMs` or after `maxCalls` calls.
 */
export type LoadLimits = {
  inFlight: number;
  maxMs: number;
  maxCalls: number;
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
  const { inFlight, maxMs, maxCalls } = limits;
  const ended: EndedCall[] = [];
  const startedAt = performance.now();
  let started = 0;
  let failed = false;
  const runCaller = async (): Promise<void> => {
    for (;;) {
      const sentAt = performance.now();
      if (failed || started >= maxCalls || sentAt - startedAt >= maxMs) return;
      started += 1;
      try {
        const firstByteMs = await call();
        ended.push({ latencyMs: performance.now() - sentAt, firstByteMs });
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, runCaller));
  return summarizeLoad(ended, performance.now() - startedAt);
};

/** Result of a run of load, in which every call succeeded. */
export type LoadResult = {
  calls: number;
  elapsedMs: number;
  perSecond: number;
  latencyMs: LatencySummary;
  /** Time from sending a call to the first byte of the response body, if measured. */
  firstByteMs?: LatencySummary;
};

/** Latencies of a finished call. */
type EndedCall = { latencyMs: number; firstByteMs: number | undefined };

const summarizeLoad = (ended: readonly EndedCall[], elapsedMs: number): LoadResult => {
  const firstBytes = ended.flatMap(({ firstByteMs }) => firstByteMs ?? []);
  return {
    calls: ended.length,
    elapsedMs,
    perSecond: (ended.length / elapsedMs) * 1_000,
    latencyMs: summarizeLatencies(ended.map(({ latencyMs }) => latencyMs)),
    ...(firstBytes.length > 0 ? { firstByteMs: summarizeLatencies(firstBytes) } : {}),
  };
};
