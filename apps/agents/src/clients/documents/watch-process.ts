import { workerData } from 'node:worker_threads';
import type { ReadingLimits } from './document-process.ts';

/** Interval of memory checks, in milliseconds. */
const WATCH_INTERVAL_MS = 20;

/** Added to the parent's timeout, so that the parent ends the process first if it is alive. */
const GRACE_MS = 5000;

/**
 * Runs in a thread that ends its process on timeout or excess memory: the process itself may be
 * blocked and its parent dead.
 */
const { timeMs, processBytes } = workerData as ReadingLimits;
const kill = (): unknown => process.kill(process.pid, 'SIGKILL');
setTimeout(kill, timeMs + GRACE_MS);
setInterval(() => {
  if (process.memoryUsage.rss() > processBytes) kill();
}, WATCH_INTERVAL_MS);
