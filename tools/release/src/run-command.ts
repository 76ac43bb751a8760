import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readToolEnv } from './config.ts';

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

export type CommandOptions = { cwd?: string; env?: Readonly<Record<string, string>> };
/** Runs a program and returns its standard output. Rejects if it fails or is not on PATH. */
export type RunCommand = (
  command: string,
  argv: readonly string[],
  options?: CommandOptions,
) => Promise<string>;

export const runCommand: RunCommand = async (command, argv, { cwd, env } = {}) => {
  const options = { cwd, env: { ...readToolEnv(), ...env }, maxBuffer: OUTPUT_BYTES_MAX };
  const { stdout } = await promisify(execFile)(command, [...argv], options);
  return stdout;
};
