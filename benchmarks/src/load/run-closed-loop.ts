import { summarizeLatencies } from './latency-summary.ts';
import type { LatencySummary } from './latency-summary.ts';

/** A stretch of load: it ends at the first of the two limits. */
export type LoadLimits = { inFlight: number; maxMs: number; maxCalls: number };

/** What a stretch of load measured; every call of it succeeded. */
export type LoadResult = {
  calls: number;
  elapsedMs: number;
  perSecond: number;
  latencyMs: LatencySummary;
  /** From sending to the first byte of the body, where calls tell it. */
  firstByteMs?: LatencySummary;
};

/** One call; answers after how many milliseconds the first byte of its body came, if it knows. */
export type LoadCall = () => Promise<number | undefined>;

/**
 * Keeps `inFlight` calls going, each caller starting its next when its last has ended, and waits
 * for all of them. Rejects at the first call that fails: a run with failures measures nothing.
 */
export const runClosedLoop = async (limits: LoadLimits, call: LoadCall): Promise<LoadResult> => {
  const latencies: number[] = [];
  const firstBytes: number[] = [];
  const startedAt = performance.now();
  let started = 0;
  let failed = false;
  const runCaller = async (): Promise<void> => {
    for (;;) {
      const sentAt = performance.now();
      if (failed || started >= limits.maxCalls || sentAt - startedAt >= limits.maxMs) return;
      started += 1;
      try {
        const firstByteMs = await call();
        latencies.push(performance.now() - sentAt);
        if (firstByteMs !== undefined) firstBytes.push(firstByteMs);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: limits.inFlight }, runCaller));
  const elapsedMs = performance.now() - startedAt;
  return {
    calls: latencies.length,
    elapsedMs,
    perSecond: (latencies.length / elapsedMs) * 1000,
    latencyMs: summarizeLatencies(latencies),
    ...(firstBytes.length > 0 ? { firstByteMs: summarizeLatencies(firstBytes) } : {}),
  };
};
