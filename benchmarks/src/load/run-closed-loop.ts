import { setTimeout as pause } from 'node:timers/promises';
import { summarizeLoad } from './summarize-load.ts';
import type { EndedCall, LoadResult } from './summarize-load.ts';

/** Limits of a run of load, which ends when the first of them is reached. */
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
