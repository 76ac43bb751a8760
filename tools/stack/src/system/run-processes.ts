import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Log } from '@witan/service-kit';
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from './memory-limits.ts';
import { CATALOGUE } from './catalogue.ts';
import type { CatalogueEntry } from './catalogue.ts';
import type { RunningSystem } from './run-standalone.ts';
import { supervise } from './supervise.ts';
import type { SupervisedProcess, Supervisor } from './supervise.ts';

type ProcessesOptions = {
  environments: Readonly<Record<string, Record<string, string>>>;
  log: Log;
  /** Called before each service starts for the first time. */
  onStart: (service: string) => void;
  onRestart: () => Promise<void>;
};

type Ready = { adminUrl: string; httpUrl?: string };

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** As long as PostgreSQL may take: on a busy machine a service needs over 30 s. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;

export const runProcesses = async (options: ProcessesOptions): Promise<RunningSystem> => {
  const ready = new Map<string, Ready>();
  const supervisors = new Map<string, Supervisor>();
  const stop = async (): Promise<void> => {
    // Callers stop before callees, so that running calls can finish.
    for (const [, supervisor] of [...supervisors].toReversed()) await supervisor.stop();
  };
  try {
    for (const entry of CATALOGUE) {
      const { name } = entry;
      options.onStart(name);
      const start = async (): Promise<SupervisedProcess> => {
        const child = await startChild(entry, options.environments[name]!);
        ready.set(name, child.ready);
        return child;
      };
      const { log, onRestart } = options;
      supervisors.set(name, await supervise({ start, process: name, log, onRestart }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    baseUrl: ready.get('api-gateway')!.httpUrl!,
    adminUrls: Object.fromEntries([...ready].map(([name, { adminUrl }]) => [name, adminUrl])),
    pids: () => Object.fromEntries([...supervisors].map(([name, s]) => [name, s.pid()])),
    stop,
  };
};

const startChild = async (
  { name, main }: CatalogueEntry,
  env: Record<string, string>,
): Promise<SupervisedProcess & { ready: Ready }> => {
  const child = fork(`${ROOT}${main}`, {
    cwd: ROOT,
    env: { ...MEMORY_ENVIRONMENT, ...env },
    execArgv: ['--disable-warning=ExperimentalWarning', ...MEMORY_FLAGS],
  });
  const exited = once(child, 'exit');
  const readyMessage = once(child, 'message').then(
    ([message]) => (message as { ready: Ready }).ready,
  );
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  const failure = Promise.race([
    exited.then(([code, signal]) => `ended with ${String(code ?? signal)}`),
    once(timeout, 'abort').then(() => `was not ready after ${START_TIMEOUT_MS} ms`),
  ]);
  const outcome = await Promise.race([readyMessage, failure]);
  if (typeof outcome === 'string') {
    child.kill('SIGKILL');
    throw new Error(`${name} ${outcome}; see its log above.`);
  }
  return {
    pid: child.pid!,
    ready: outcome,
    exited,
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
};
