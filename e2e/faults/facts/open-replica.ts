import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SystemFile } from '@witan/stack';

const MAIN = fileURLToPath(new URL('../../../apps/notifier/src/main.ts', import.meta.url));

/**
 * Starts a second notifier beside the system's: with its environment, but ports of its own. Linux
 * only, because the environment is read from /proc.
 */
export const openReplica = async ({
  pids,
}: Pick<SystemFile, 'pids'>): Promise<{ stop: () => Promise<void> }> => {
  const text = await readFile(`/proc/${pids.notifier}/environ`, 'utf8');
  const entries = text.split('\0').filter(Boolean);
  const env = Object.fromEntries(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf('=')),
      entry.slice(entry.indexOf('=') + 1),
    ]),
  );
  const own = { GRPC_ADDRESS: '127.0.0.1:0', ADMIN_PORT: '0' };
  const child = fork(MAIN, {
    env: { ...env, ...own },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // Its log would stand between the verdicts.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error('The second notifier did not start.');
  return {
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
};
