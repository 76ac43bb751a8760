import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorCode, NatsError } from '../postgres/postgres-error.ts';
import { findProcessIdentity } from '../postgres/process-identity.ts';

const STOP_TIMEOUT_MS = 10_000;
const KILL_TIMEOUT_MS = 5_000;
const POLL_MS = 20;

/**
 * Stops every nats-server that uses this store. nats-server does not lock its files, and a second
 * server would corrupt them. The caller must hold the directory lock, so that such a process can
 * only be an orphan of a killed system. Throws NatsError `not-stopped` if a server does not end.
 */
export const endPreviousNatsServer = async (options: {
  storeDir: string;
  log: (line: string) => void;
}): Promise<void> => {
  for (const pid of await findProcesses(['-sd', options.storeDir])) {
    options.log(`nats-server (process ${pid}) outlived the system that started it and is ended.`);
    await end(pid);
  }
};

const end = async (pid: number): Promise<void> => {
  const identity = await findProcessIdentity(pid);
  if (identity === undefined) return;
  signal(pid, 'SIGTERM');
  // A process stopped by SIGSTOP handles SIGTERM only after SIGCONT.
  signal(pid, 'SIGCONT');
  if (await isGoneWithin({ pid, identity, timeoutMs: STOP_TIMEOUT_MS })) return;
  signal(pid, 'SIGKILL');
  if (await isGoneWithin({ pid, identity, timeoutMs: KILL_TIMEOUT_MS })) return;
  throw new NatsError('not-stopped', `nats-server (process ${pid}) does not stop. Kill it.`);
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has ended (ESRCH) or belongs to another user (EPERM). If it belongs to another
    // user, the wait times out.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
};

const isGoneWithin = async (wait: {
  pid: number;
  identity: string;
  timeoutMs: number;
}): Promise<boolean> => {
  const deadline = Date.now() + wait.timeoutMs;
  while ((await findProcessIdentity(wait.pid)) === wait.identity) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
};

const PS_TIMEOUT_MS = 5_000;
const PS_OUTPUT_BYTES = 16 * 1024 ** 2;

export const findProcesses = async (args: readonly string[]): Promise<number[]> => {
  const found =
    process.platform === 'linux' ? await findInProc(args) : matchPs(await listByPs(), args);
  return found.filter((pid) => pid !== process.pid);
};

export const matchPs = (listing: string, args: readonly string[]): number[] => {
  // ps joins arguments with spaces, so the match must begin and end at a space.
  const wanted = ` ${args.join(' ')} `;
  return listing
    .split('\n')
    .filter((line) => `${line} `.includes(wanted))
    .map((line) => Number.parseInt(line, 10));
};

const findInProc = async (args: readonly string[]): Promise<number[]> => {
  const wanted = `\0${args.join('\0')}\0`;
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => ((await readCommand(name)).includes(wanted) ? [Number(name)] : [])),
  );
  return found.flat();
};

const readCommand = async (pid: string): Promise<string> => {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

const listByPs = async (): Promise<string> => {
  const limits = { timeout: PS_TIMEOUT_MS, maxBuffer: PS_OUTPUT_BYTES };
  return (await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='], limits)).stdout;
};
