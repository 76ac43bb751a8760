import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SystemFile } from '@witan/stack';
import { findChildren } from './find-children.ts';

/** Names of the processes in `system.json`. */
export type Victim =
  | 'ledger'
  | 'llm-gateway'
  | 'notifier'
  | 'agents'
  | 'simulation'
  | 'api-gateway'
  | 'postgres'
  | 'nats';

/** SIGSTOP freezes a process until SIGCONT. */
export type FaultSignal = 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGSTOP' | 'SIGCONT';

/** A system started by `npm start` with its own home folder. */
export type FaultSystem = {
  /** Reads the current `system.json`, whose pids change with every restart. */
  readFile: () => Promise<SystemFile>;
  /** Resolves the pids; returns a function that signals them and returns the time. */
  aim: (victims: readonly Victim[], signal: FaultSignal) => Promise<() => number>;
  /** Signals all victims together; returns the time. */
  signal: (victims: readonly Victim[], signal: FaultSignal) => Promise<number>;
  /** Sends SIGTERM to the main process; resolves with its exit code. */
  stop: () => Promise<number | null>;
};

const START = fileURLToPath(new URL('../../tools/stack/src/start.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Exceeds the start of eight processes and a new database on a busy machine. */
const START_TIMEOUT_MS = 240_000;
/** Exceeds any drain; after it remaining processes are killed. */
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * Starts the system with these arguments; resolves once it is ready. Its output goes to
 * `output.log` in its home.
 */
export const openRunningSystem = async (
  home: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = ['--processes'],
): Promise<FaultSystem> => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', START, ...args], {
    cwd: ROOT,
    env: { ...env, WITAN_HOME: home, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = createWriteStream(join(home, 'output.log'), { flags: 'a' });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const readSystem = async (): Promise<SystemFile> =>
    JSON.parse(await readFile(join(home, 'system.json'), 'utf8')) as SystemFile;
  await untilUp(child, readSystem, home);
  const aim: FaultSystem['aim'] = async (victims, signal) => {
    const { pids } = await readSystem();
    const all = victims.map(async (victim) => {
      const pid = pids[victim]!;
      // On SIGTERM a database server ends its own processes.
      const isWhole = victim === 'postgres' && signal !== 'SIGTERM';
      return isWhole ? [pid, ...(await findChildren(pid))] : [pid];
    });
    const targets = (await Promise.all(all)).flat();
    return () => {
      const at = Date.now();
      for (const pid of targets) signalIfThere(pid, signal);
      return at;
    };
  };
  return {
    readFile: readSystem,
    aim,
    signal: async (victims, signal) => (await aim(victims, signal))(),
    stop: () => stop(child),
  };
};

/** Signals a process that the kernel may already have ended with its server. */
const signalIfThere = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const untilUp = async (
  child: ChildProcess,
  readSystem: () => Promise<SystemFile>,
  home: string,
): Promise<void> => {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await readSystem();
      return;
    } catch {
      // The file is written last, once the system is ready.
    }
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The system did not come up; see output.log in ${home}.`);
    }
    await pause(POLL_MS);
  }
};

const stop = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null) return child.exitCode;
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  const [code] = await exited;
  clearTimeout(timer);
  return code;
};
