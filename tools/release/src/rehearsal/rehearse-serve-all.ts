import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { choosePort } from '@witan/stack/postgres/choose-port';
import type { Installation } from '../installation/open-installation.ts';
import { stopProcess } from '../installation/start-program.ts';
import { createApi, EXERCISES, runExercises } from './exercises.ts';

const READY_TIMEOUT_MS = 180_000;
const POLL_MS = 20;
const INVALID_CONFIG_EXIT_CODE = 2;
const REQUIRED = ['LEDGER_DATABASE_URL', 'WITAN_SECRETS_KEY', 'WITAN_SIGNING_KEY_FILE', 'provider'];

/**
 * Runs `serve all` with production settings and returns the failures. First runs it with an empty
 * environment, where it must report every missing setting. Then runs all services in one process
 * and every exercise against them.
 */
export const rehearseServeAll = async (options: {
  installation: Installation;
  cli: readonly string[];
  openaiUrl: string;
  log: (line: string) => void;
}): Promise<string[]> => {
  const { installation, cli, openaiUrl, log } = options;
  const cwd = await installation.emptyFolder('serve-all');
  const failed: string[] = [];
  const refused = spawn(process.execPath, [...cli, 'serve', 'all'], { cwd, env: {} });
  const [refusal, [code]] = await Promise.all([text(refused.stderr), once(refused, 'exit')]);
  const isComplete =
    code === INVALID_CONFIG_EXIT_CODE && REQUIRED.every((word) => refusal.includes(word));
  log(`serve all, with nothing set: exit code ${code}, ${refusal.split('\n').length - 2} errors`);
  if (!isComplete) failed.push(`serve all did not report all required settings:\n${refusal}`);
  const adminPort = await choosePort({ wanted: 0 });
  const port = await choosePort({ wanted: 0 });
  const env = {
    WITAN_HOST: '127.0.0.1',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: String(adminPort),
    PORT: String(port),
    LOG_LEVEL: 'warn',
    WITAN_DEFAULT_PROVIDER: 'offline',
    OPENAI_BASE_URL: openaiUrl,
  };
  const startedAt = performance.now();
  const argv = [`--env-file=${installation.envFileOf('all')}`, ...cli, 'serve', 'all'];
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  await waitUntilReady(`http://127.0.0.1:${adminPort}/readyz`, child);
  log(`serve all: ready in ${Math.round(performance.now() - startedAt)} ms`);
  const made = await installation.runJob(['workspace', 'create', 'serve-all', '--json']);
  const { apiKey } = JSON.parse(made) as { apiKey: string };
  const api = createApi(`http://127.0.0.1:${port}`, apiKey);
  for (const [name, failure] of await runExercises(api)) {
    failed.push(`serve all, ${name}: ${failure}`);
  }
  log(`serve all: ${EXERCISES.length} exercises, ${failed.length} failed`);
  const ended = await stopProcess(child);
  log(`SIGTERM, serve all: ${ended}`);
  if (ended !== 0) failed.push(`serve all ended with ${ended} after SIGTERM`);
  return failed;
};

const waitUntilReady = async (url: string, child: { exitCode: number | null }): Promise<void> => {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null) throw new Error(`serve all ended with ${child.exitCode}.`);
    if (Date.now() > deadline) throw new Error('serve all was not ready in time.');
    await delay(POLL_MS);
  }
};
