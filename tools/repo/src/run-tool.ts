import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { toolEnvironment } from './config.ts';

export type Outcome = { ok: boolean; output: string };

const TOOL_LIMIT_MS = 5 * 60_000;

/**
 * Runs a command of `node_modules/.bin` in the repository's root. If the command cannot be started,
 * resolves to a failed outcome.
 */
export const runTool = (root: string, name: string, args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(join(root, 'node_modules/.bin', name), args, {
      cwd: root,
      env: toolEnvironment(root),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // spawn's own timeout is not used, because its timer remains when the tool cannot be started.
    const limit = setTimeout(() => child.kill(), TOOL_LIMIT_MS);
    const settle = (outcome: Outcome): void => {
      clearTimeout(limit);
      resolve(outcome);
    };
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => settle({ ok: false, output: `${name}: ${error.message}` }));
    child.on('close', (code, signal) => {
      const ending = signal ? [`${name} was ended by ${signal}.`] : [];
      const text = Buffer.concat(chunks).toString().trim();
      settle({ ok: code === 0, output: [text, ...ending].filter(Boolean).join('\n') });
    });
  });
