import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SystemFile } from '@witan/stack';
import { findChildren } from './find-processes.ts';
import { until } from './until.ts';

/** Processes that a fault can signal, as named in `system.json`. */
export const FAULT_TARGETS = [
  'ledger',
  'llm-gateway',
  'notifier',
  'agents',
  'simulation',
  'api-gateway',
  'postgres',
  'nats',
] as const;
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/** Signals of faults; SIGSTOP freezes a process until SIGCONT. */
export type FaultSignal = 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGSTOP' | 'SIGCONT';

/** A system started like `npm start`, with a home folder of its own. */
export type FaultSystem = {
  /**
   * Returns the current content of `system.json`, in which a restart changes the pid of the
   * process.
   */
  readFile: () => Promise<SystemFile>;
  /**
   * Looks up the pids of the targets. The returned function sends the signal and returns the time
   * in milliseconds since the epoch.
   */
  prepareSignal: (targets: readonly FaultTarget[], signal: FaultSignal) => Promise<() => number>;
  /** Sends the signal to all targets at once; returns the time in milliseconds since the epoch. */
  signal: (targets: readonly FaultTarget[], signal: FaultSignal) => Promise<number>;
  /** Resolves when the main process has ended. */
  ended: Promise<unknown>;
  /**
   * Sends SIGTERM to the main process. Resolves with its exit code, or with null if it had to be
   * killed.
   */
  stop: () => Promise<number | null>;
};

const START = fileURLToPath(new URL('../../tools/stack/src/start.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Time limit of a start; longer than eight processes and a new database take on a busy machine. */
const START_TIMEOUT_MS = 240_000;
/** Time limit of a graceful stop, in milliseconds; after it the main process is killed. */
const STOP_TIMEOUT_MS = 60_000;

/**
 * Starts a system with these arguments and resolves once it is ready. Its output is appended to
 * `output.log` in `home`.
 */
export const openRunningSystem = async (
  home: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = ['--processes'],
): Promise<FaultSystem> => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', START, ...args], {
    cwd: ROOT,
    env: { PORT: '0', ...env, WITAN_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = createWriteStream(join(home, 'output.log'), { flags: 'a' });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const ended = once(child, 'exit');
  const readSystem = async (): Promise<SystemFile> =>
    JSON.parse(await readFile(join(home, 'system.json'), 'utf8')) as SystemFile;
  await untilStarted(child, readSystem, home);
  const prepareSignal: FaultSystem['prepareSignal'] = async (targets, signal) => {
    const { pids } = await readSystem();
    const all = targets.map(async (target) => {
      const pid = pids[target]!;
      // On SIGTERM the database server ends its child processes itself; on other signals they are
      // signalled too.
      const includesChildren = target === 'postgres' && signal !== 'SIGTERM';
      return includesChildren ? [pid, ...(await findChildren(pid))] : [pid];
    });
    const targetPids = (await Promise.all(all)).flat();
    return () => {
      const at = Date.now();
      for (const pid of targetPids) signalIfThere(pid, signal);
      return at;
    };
  };
  return {
    readFile: readSystem,
    prepareSignal,
    signal: async (targets, signal) => (await prepareSignal(targets, signal))(),
    ended,
    stop: () => stop(child),
  };
};

/**
 * Sends the signal to a process. Ignores a missing process, because children of the database server
 * may end with it.
 */
const signalIfThere = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const untilStarted = async (
  child: ChildProcess,
  readSystem: () => Promise<SystemFile>,
  home: string,
): Promise<void> => {
  const outcome = await until(START_TIMEOUT_MS, async () => {
    try {
      await readSystem();
      return 'up';
    } catch {
      // The file is missing, because the system writes `system.json` only once it is ready.
      return child.exitCode !== null || child.signalCode !== null ? 'ended' : undefined;
    }
  });
  if (outcome === 'up') return;
  child.kill('SIGKILL');
  throw new Error(`The system did not come up; see output.log in ${home}.`);
};

const stop = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  const [code] = await exited;
  clearTimeout(timer);
  return code;
};
