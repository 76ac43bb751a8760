import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SystemFile } from '@witan/stack';

/** A process of a service that the run starts itself. */
export type ServiceProcess = {
  /** Sends SIGTERM; resolves with the exit code, or null if a signal ended the process. */
  stop: () => Promise<number | null>;
};

const APPS = new URL('../../apps/', import.meta.url);

/**
 * Starts a service with exactly these environment variables and resolves once it is ready. Its
 * output is appended to `logFile`.
 */
export const openService = async (
  service: string,
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<ServiceProcess> => {
  const log = openSync(logFile, 'a');
  const child = fork(fileURLToPath(new URL(`${service}/src/main.ts`, APPS)), {
    env,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const failed = exited.then(([code]): never => {
    throw new Error(`${service} ended with ${String(code)}; see ${logFile}.`);
  });
  // Prevents an unhandled rejection when the process ends later.
  failed.catch(() => {});
  await Promise.race([once(child, 'message'), failed]);
  return {
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
};

/**
 * Starts a second process of a service with the environment of the first process but its own ports.
 * Works on Linux only, because it reads the environment from /proc.
 */
export const openReplica = async (
  service: 'ledger' | 'notifier' | 'agents',
  { pids }: Pick<SystemFile, 'pids'>,
  home: string,
): Promise<ServiceProcess> => {
  const text = await readFile(`/proc/${pids[service]}/environ`, 'utf8');
  const entries = text.split('\0').filter(Boolean);
  const env = Object.fromEntries(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf('=')),
      entry.slice(entry.indexOf('=') + 1),
    ]),
  );
  const own = { ...env, GRPC_ADDRESS: '127.0.0.1:0', ADMIN_PORT: '0' };
  return openService(service, own, join(home, 'replica.log'));
};
