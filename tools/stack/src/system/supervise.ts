import type { Log } from '@witan/service-kit';

export type SupervisedProcess = {
  pid: number;
  stop: () => Promise<void>;
  exited: Promise<unknown>;
};

export type Supervisor = { pid: () => number; stop: () => Promise<void> };

const RESTART_MIN_MS = 100;
const RESTART_MAX_MS = 5_000;

/**
 * Starts a process and restarts it when it exits. A failed restart is retried with exponential
 * backoff. Rejects if the first start fails.
 */
export const supervise = async (options: {
  start: () => Promise<SupervisedProcess>;
  /** Name of the process in the log. */
  process: string;
  log: Log;
  onRestart: () => Promise<void>;
}): Promise<Supervisor> => {
  let current = await options.start();
  let stopping = false;
  let wake = (): void => {};
  const logFailure = (reason: string): void =>
    options.log.warn(
      { event: 'process_failed', process: options.process, reason },
      'A supervised process, its restart or the restart handler failed',
    );

  const restart = async (): Promise<void> => {
    let waitMs = RESTART_MIN_MS;
    while (!stopping) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (stopping) return;
      try {
        current = await options.start();
      } catch (error) {
        waitMs = Math.min(waitMs * 2, RESTART_MAX_MS);
        logFailure(`restart failed: ${messageOf(error)}`);
        continue;
      }
      // `stop` was called during the restart and could stop only the previous process.
      if (stopping) await current.stop();
      else await reportRestart();
      return;
    }
  };
  const reportRestart = async (): Promise<void> => {
    try {
      await options.onRestart();
    } catch (error) {
      // The error is only reported, because the new process runs and a restart would not help.
      logFailure(`the restart handler failed: ${messageOf(error)}`);
    }
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      await current.exited;
      if (stopping) return;
      logFailure('exited unexpectedly, restarting');
      await restart();
    }
  };
  const watching = watch();
  return {
    pid: () => current.pid,
    stop: async () => {
      stopping = true;
      wake();
      await current.stop();
      await watching;
    },
  };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
