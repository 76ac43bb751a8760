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

/** What can be killed: the names in `system.json`. */
export type Victim =
  | 'ledger'
  | 'llm-gateway'
  | 'notifier'
  | 'agents'
  | 'simulation'
  | 'api-gateway'
  | 'postgres'
  | 'nats';

/** SIGSTOP makes a process hang, until SIGCONT. */
export type FaultSignal = 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGSTOP' | 'SIGCONT';

/** `npm start` in a home of its own, as an operator sees it. */
export type FaultSystem = {
  /** `system.json` as it is now: pids change with every restart. */
  readFile: () => Promise<SystemFile>;
  /** Finds processes by their pids in `system.json`; the answer signals them, and says when. */
  aim: (victims: readonly Victim[], signal: FaultSignal) => Promise<() => number>;
  /** Signals them all at the same moment; answers when. */
  signal: (victims: readonly Victim[], signal: FaultSignal) => Promise<number>;
  /** SIGTERM to the whole; resolves with its exit code. */
  stop: () => Promise<number | null>;
};

const START = fileURLToPath(new URL('../../tools/stack/src/start.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Eight processes and a new database, on a machine that others keep busy. */
const START_TIMEOUT_MS = 240_000;
/** Longer than any drain; what is still there then is ended the hard way. */
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * Starts the system with these arguments and answers once it is up. Its output goes to `output.log`
 * in its home.
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
      // Asked to end, a database server ends its own processes.
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

/** The kernel ends some of a server's processes by itself once the first is gone. */
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
      // Not written yet: written last, once the system takes calls.
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
