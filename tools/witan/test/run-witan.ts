import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export type CommandResult = { code: number | null; stdout: string; stderr: string };

/**
 * Runs `witan` in a separate process, which inherits only PATH and NODE_COMPILE_CACHE from this
 * process. Calls `onStderr` whenever it writes to stderr.
 */
export const runWitan = async (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  onStderr?: () => void,
): Promise<CommandResult> => {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (onStderr) child.stderr.on('data', onStderr);
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
};
