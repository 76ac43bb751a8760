import { workerData } from 'node:worker_threads';
import type { ReadingLimits } from './document-process.ts';

/** How often the memory is looked at, in milliseconds. */
const WATCH_INTERVAL_MS = 20;

/** Later than the parent's, which ends it in time if it lives. */
const GRACE_MS = 5000;

/** Runs in a thread of a process, which it ends: neither it nor its parent could. */
const { timeMs, processBytes } = workerData as ReadingLimits;
const kill = (): unknown => process.kill(process.pid, 'SIGKILL');
setTimeout(kill, timeMs + GRACE_MS);
setInterval(() => {
  if (process.memoryUsage.rss() > processBytes) kill();
}, WATCH_INTERVAL_MS);
