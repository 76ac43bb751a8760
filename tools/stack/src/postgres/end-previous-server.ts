import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, PostgresError } from './postgres-error.ts';
import { invalidatePostmasterFile, findPostmasterFile } from './postmaster-file.ts';
import { findProcessIdentity, isPostmasterOf } from './process-identity.ts';

const POLL_MS = 20;

/**
 * Shuts down an abandoned server that still runs on `dataDir`. Invalidates the server's lock file
 * if it is stale and another process has the recorded pid. Throws PostgresError `already-running`
 * if a server runs and was not abandoned, `not-stopped` if it does not end.
 */
export async function endPreviousServer(options: {
  dataDir: string;
  wasAbandoned: boolean;
  log: (line: string) => void;
}): Promise<void> {
  const { dataDir, wasAbandoned, log } = options;
  const previous = await findPostmasterFile(dataDir);
  if (previous === undefined) return;
  const { pid } = previous;
  if (!(await isPostmasterOf(dataDir, pid))) {
    if (isPidInUse(pid)) await invalidatePostmasterFile(dataDir);
    return;
  }
  if (!wasAbandoned) {
    throw new PostgresError(
      'already-running',
      `A PostgreSQL server (process ${pid}) that Witan did not start serves ${dataDir}. Stop it.`,
    );
  }
  log(`PostgreSQL (process ${pid}) outlived the system that started it and is shut down.`);
  await shutDownServer(pid, (timeoutMs) => isGoneWithin(pid, timeoutMs));
}

async function isGoneWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const identity = await findProcessIdentity(pid);
  const deadline = Date.now() + timeoutMs;
  if (identity === undefined) return true;
  for (;;) {
    if ((await findProcessIdentity(pid)) !== identity) return true;
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
}

/**
 * Returns true if any process has this pid. Zombies count, because PostgreSQL checks in the same
 * way.
 */
function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

const FAST_SHUTDOWN_TIMEOUT_MS = 30_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 10_000;

/**
 * Stops the postmaster `pid` by a fast shutdown, which aborts transactions and writes a checkpoint.
 * After 30 s an immediate shutdown follows, which requires crash recovery. Throws PostgresError
 * `not-stopped` if the server still runs 10 s later.
 */
export async function shutDownServer(
  pid: number,
  waitUntilGone: (timeoutMs: number) => Promise<boolean>,
): Promise<void> {
  signal(pid, 'SIGINT');
  if (await waitUntilGone(FAST_SHUTDOWN_TIMEOUT_MS)) return;
  signal(pid, 'SIGQUIT');
  if (await waitUntilGone(IMMEDIATE_SHUTDOWN_TIMEOUT_MS)) return;
  throw new PostgresError('not-stopped', `PostgreSQL (process ${pid}) does not stop. Kill it.`);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
