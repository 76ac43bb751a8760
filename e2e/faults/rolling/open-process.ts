import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type ServiceProcess = {
  adminUrl: string;
  /** URL of the public API; only the edge has one. */
  httpUrl?: string;
  /** Sends SIGTERM; resolves with the exit code, or null if a signal ended the process. */
  stop: () => Promise<number | null>;
};

const APPS = fileURLToPath(new URL('../../../apps/', import.meta.url));
const EXEC_ARGV = ['--disable-warning=ExperimentalWarning'];

/**
 * Starts a service with exactly these environment variables and resolves once it is ready. Its
 * output is appended to `logFile`.
 */
export const openProcess = async (
  service: string,
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<ServiceProcess> => {
  const log = openSync(logFile, 'a');
  const stdio = ['ignore', log, log, 'ipc'] as const;
  const options = { env, execArgv: EXEC_ARGV, stdio: [...stdio] };
  const child = fork(`${APPS}${service}/src/main.ts`, options);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const started = once(child, 'message') as Promise<[{ ready: Omit<ServiceProcess, 'stop'> }]>;
  const failed = exited.then(([code]): never => {
    throw new Error(`${service} ended with ${String(code)}; see ${logFile}.`);
  });
  failed.catch(() => {});
  const [{ ready }] = await Promise.race([started, failed]);
  return {
    ...ready,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
};
