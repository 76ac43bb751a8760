import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProgramMessage } from './serve-program.ts';

/** A child process whose CPU time can be measured separately. */
export type Program<Ready, Order = never, Answer = never> = {
  pid: number;
  ready: Ready;
  /**
   * Sends one order to the child and resolves with its result. Rejects if the order fails or the
   * child ends.
   */
  execute: (order: Order) => Promise<Answer>;
};

export type ProgramOptions = {
  /** The file to run, relative to this package's `src`. */
  file: string;
  args?: readonly string[];
  execArgv?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Folder of the file to which the child's standard output is appended. */
  stateDir: string;
  /** Name of the log file; by default that of `file`. */
  name?: string;
};

const SOURCES = new URL('../', import.meta.url);
/** Longer than six services and a new database take on a busy machine. */
const START_TIMEOUT_MS = 240_000;
/** Time after SIGTERM until a program that still runs is killed. */
const STOP_TIMEOUT_MS = 40_000;

/**
 * Starts a program and waits until it is ready. The program is stopped when `resources` are
 * disposed. It must call `serveProgram` or send `{ready}` itself.
 */
export const openProgram = async <Ready, Order = never, Answer = never>(
  options: ProgramOptions,
  resources: AsyncDisposableStack,
): Promise<Program<Ready, Order, Answer>> => {
  const { file, stateDir, name = basename(file, '.ts') } = options;
  const logFile = join(stateDir, `${name}.log`);
  const child = startProcess(options, logFile);
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${file} ended (${String(code ?? signal)}); see ${logFile}.`);
  });
  // Prevents an unhandled rejection. A pending order rejects with the same error; if no order is
  // pending, the caller requested the end.
  ended.catch(() => {});
  const nextMessage = async (): Promise<ProgramMessage> => {
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [ProgramMessage];
    if (message.failure !== undefined) throw new Error(`${file}: ${message.failure}`);
    return message;
  };
  resources.defer(() => endProcess(child));
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const { ready } = await nextMessage().finally(() => clearTimeout(timer));
  return {
    pid: child.pid!,
    ready: ready as Ready,
    execute: async (order) => {
      child.send({ order });
      return (await nextMessage()).answer as Answer;
    },
  };
};

const startProcess = (
  { file, args, execArgv, env }: ProgramOptions,
  logFile: string,
): ChildProcess => {
  const log = openSync(logFile, 'a');
  try {
    return fork(fileURLToPath(new URL(file, SOURCES)), args ?? [], {
      execArgv: ['--disable-warning=ExperimentalWarning', ...(execArgv ?? [])],
      stdio: ['ignore', log, 'inherit', 'ipc'],
      ...(env ? { env } : {}),
    });
  } finally {
    closeSync(log);
  }
};

/** Ends a process with SIGTERM, and kills it if it still runs after STOP_TIMEOUT_MS. */
export const endProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
};
