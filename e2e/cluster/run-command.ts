import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export type CommandOptions = {
  /** Written to the standard input; without it, the standard input is empty. */
  input?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Limit in milliseconds, after which the program is killed; by default 30 minutes. */
  timeoutMs?: number;
};

export type CommandResult = { code: number | null; stdout: string; stderr: string };

const TIMEOUT_MS = 1_800_000;
const ERROR_LENGTH = 2_000;

/** Runs a program and returns its exit code and output. Rejects only if it cannot be started. */
export const tryCommand = async (
  [program, ...args]: readonly [string, ...string[]],
  { input = '', cwd, env, timeoutMs = TIMEOUT_MS }: CommandOptions = {},
): Promise<CommandResult> => {
  const child = spawn(program, args, { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL' });
  // A program may end without reading its input.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
};

/** Runs a program and returns its output. Rejects with its last errors unless it exits with 0. */
export const runCommand = async (
  command: readonly [string, ...string[]],
  options?: CommandOptions,
): Promise<string> => {
  const { code, stdout, stderr } = await tryCommand(command, options);
  if (code === 0) return stdout;
  const name = command.join(' ').slice(0, ERROR_LENGTH);
  const errors = (stderr || stdout).slice(-ERROR_LENGTH);
  throw new Error(`${name}: exit code ${code}\n${errors}`);
};

/** A prefix for commands that take minutes and must leave the processors to others. */
export const LOW_PRIORITY = ['nice', '-n', '15'] as const;

export const log = (line: string): void => void process.stdout.write(`${line}\n`);
