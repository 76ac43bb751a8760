import { errorCode } from './error-code.ts';
import { PostgresError } from './postgres-error.ts';

const FAST_SHUTDOWN_TIMEOUT_MS = 30_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 10_000;

/**
 * Stops the postmaster `pid` by a fast shutdown, which ends transactions and writes a checkpoint.
 * After 30 s an immediate shutdown follows, which requires crash recovery. Throws PostgresError
 * `not-stopped`.
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
