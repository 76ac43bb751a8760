import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemFile } from '@witan/stack';
import type { Metering } from '../metering.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import type { HttpLoad, HttpLoadResult } from './load-generator.ts';

/** A system that the clients call: the provider itself, the bare pipe, or Witan. */
export type GatewaySystem = {
  name: 'direct' | 'pipe' | WitanName | `${WitanName}, metered`;
  /** Set if the system is measured only to learn the cost of metering. */
  isMetered?: true;
  /** Base URL, to which the path of a dialect is appended. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Pids of the processes whose CPU is measured, by name. */
  processes: Readonly<Record<string, number>>;
  /** Content of Witan's `system.json`, for the checks after the load. */
  file?: SystemFile;
};

/** Witan with all services in one process (`standalone`), or with one process per service. */
export type WitanName = 'standalone' | 'separate';

export type LoadGenerator = Program<object, HttpLoad, HttpLoadResult>;
export type Provider = Program<{ url: string }>;

/** Creates a folder for databases and logs, which is deleted when `resources` are disposed. */
export const openStateDir = async (resources: AsyncDisposableStack): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'witan-bench-'));
  resources.defer(() => rm(dir, { recursive: true, force: true }));
  // PostgreSQL does not run as root; its own user must be able to traverse this folder.
  await chmod(dir, 0o711);
  return dir;
};

export const openProvider = async (
  stateDir: string,
  resources: AsyncDisposableStack,
): Promise<Provider> =>
  resources.use(
    await openProgram<{ url: string }>({
      file: 'gateway/mock-provider.ts',
      logFile: join(stateDir, 'provider.log'),
    }),
  );

export const openLoadGenerator = async (
  stateDir: string,
  resources: AsyncDisposableStack,
): Promise<LoadGenerator> =>
  resources.use(
    await openProgram<object, HttpLoad, HttpLoadResult>({
      file: 'gateway/load-generator.ts',
      logFile: join(stateDir, 'load.log'),
    }),
  );

/** Returns the provider itself as a measured system, without Witan or the pipe in front of it. */
export const toDirectSystem = (provider: Provider): GatewaySystem => ({
  name: 'direct',
  url: provider.ready.url,
  headers: {},
  processes: {},
});

/** Starts the reference system, a bare node:http pipe. */
export const openPipe = async (
  stateDir: string,
  providerUrl: string,
  resources: AsyncDisposableStack,
): Promise<GatewaySystem> => {
  const pipe = resources.use(
    await openProgram<{ url: string }>({
      file: 'gateway/http-pipe.ts',
      args: [providerUrl],
      logFile: join(stateDir, 'pipe.log'),
    }),
  );
  return {
    name: 'pipe',
    url: pipe.ready.url,
    headers: {},
    processes: { pipe: pipe.pid },
  };
};

export type WitanOptions = {
  mode: 'standalone' | 'processes';
  metering: Metering;
  stateDir: string;
  providerUrl: string;
  /**
   * Folder into which Node writes a CPU profile of each process when it ends; no profile if
   * undefined.
   */
  profileDir?: string;
};

/** Starts Witan with its own durable PostgreSQL and an empty chain. */
export const openWitan = async (
  { mode, metering, stateDir, providerUrl, profileDir }: WitanOptions,
  resources: AsyncDisposableStack,
): Promise<GatewaySystem & { file: SystemFile }> => {
  const isOneProcess = mode === 'standalone';
  const systemHome = join(stateDir, `${mode}-${metering}`);
  const host = resources.use(
    await openProgram<SystemFile>({
      file: 'gateway/system-host.ts',
      args: [
        mode,
        metering,
        systemHome,
        providerUrl,
        ...(profileDir && !isOneProcess ? [profileDir] : []),
      ],
      execArgv: profileDir && isOneProcess ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
      logFile: `${systemHome}.log`,
    }),
  );
  const file = host.ready;
  const { postgres, ...services } = file.pids;
  if (postgres === undefined) throw new Error('Witan runs without a PostgreSQL of its own.');
  const name = isOneProcess ? 'standalone' : 'separate';
  return {
    ...(metering === 'metered' ? { name: `${name}, metered`, isMetered: true } : { name }),
    url: file.baseUrl,
    headers: { 'x-api-key': file.apiKey },
    processes: isOneProcess
      ? { witan: host.pid, postgres }
      : { supervisor: host.pid, ...services, postgres },
    file,
  };
};
