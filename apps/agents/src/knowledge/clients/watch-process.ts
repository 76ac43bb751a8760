import { workerData } from 'node:worker_threads';
import type { ReadingLimits } from './document-process-main.ts';

const WATCH_INTERVAL_MS = 20;

/**
 * Time added to the parent's timeout, in milliseconds, so that a parent that is still alive kills
 * this process first.
 */
const GRACE_MS = 5000;

/**
 * Entry point of a watchdog thread, which kills its process on timeout or excess memory. It is
 * needed because the main thread may be blocked and the parent process dead.
 */
const { timeMs, processBytes } = workerData as ReadingLimits;
const kill = (): unknown => process.kill(process.pid, 'SIGKILL');
setTimeout(kill, timeMs + GRACE_MS);
setInterval(() => {
  if (process.memoryUsage.rss() > processBytes) kill();
}, WATCH_INTERVAL_MS);
