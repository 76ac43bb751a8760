import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SystemFile } from '@witan/stack';

const APPS = new URL('../../apps/', import.meta.url);

/**
 * Starts a second process of a service with the environment of the first process but its own ports.
 * Works on Linux only, because it reads the environment from /proc.
 */
export const openReplica = async (
  service: 'notifier' | 'agents',
  { pids }: Pick<SystemFile, 'pids'>,
): Promise<{ stop: () => Promise<void> }> => {
  const text = await readFile(`/proc/${pids[service]}/environ`, 'utf8');
  const entries = text.split('\0').filter(Boolean);
  const env = Object.fromEntries(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf('=')),
      entry.slice(entry.indexOf('=') + 1),
    ]),
  );
  const own = { GRPC_ADDRESS: '127.0.0.1:0', ADMIN_PORT: '0' };
  const child = fork(fileURLToPath(new URL(`${service}/src/main.ts`, APPS)), {
    env: { ...env, ...own },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // The replica's log is discarded, so that it does not mix with the printed results.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error(`The second ${service} did not start.`);
  return {
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
};
