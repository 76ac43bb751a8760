import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemFile } from '@witan/stack';
import type { Metering } from '../metering.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import type { HttpLoad, HttpLoadResult } from './load-generator.ts';

/** The target of clients: the provider or a system in front of it. */
export type GatewaySystem = {
  name: 'direct' | 'pipe' | WitanName | `${WitanName}, metered`;
  /** Set if the system is measured only for the cost of metering. */
  isMetered?: true;
  /** Base URL without the path of a dialect. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Pids by process name, to measure their CPU. */
  processes: Readonly<Record<string, number>>;
  /** The `system.json` of Witan, for the checks after the load. */
  file?: SystemFile;
};

/** Witan in one process (`standalone`), or one process per service. */
export type WitanName = 'standalone' | 'separate';

export type LoadGenerator = Program<object, HttpLoad, HttpLoadResult>;
export type Provider = Program<{ url: string }>;

/** Creates a folder for databases and logs, which is deleted at the end. */
export const openStateDir = async (resources: AsyncDisposableStack): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'witan-bench-'));
  resources.defer(() => rm(dir, { recursive: true, force: true }));
  // PostgreSQL refuses to run as root, and its own user must be able to enter.
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

/** Returns the provider itself as a target, without a system in front of it. */
export const toDirect = (provider: Provider): GatewaySystem => ({
  name: 'direct',
  url: provider.ready.url,
  headers: {},
  processes: {},
});

/** Opens the reference, a bare node:http pipe. */
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
   * The folder into which Node writes a CPU profile of each process at its end; without it there
   * are none.
   */
  profileDir?: string;
};

/** Starts Witan with its own durable PostgreSQL and an empty chain. */
export const openWitan = async (
  { mode, metering, stateDir, providerUrl, profileDir }: WitanOptions,
  resources: AsyncDisposableStack,
): Promise<GatewaySystem & { file: SystemFile }> => {
  const isOneProcess = mode === 'standalone';
  const own = join(stateDir, `${mode}-${metering}`);
  const host = resources.use(
    await openProgram<SystemFile>({
      file: 'gateway/system-host.ts',
      args: [
        mode,
        metering,
        own,
        providerUrl,
        ...(profileDir && !isOneProcess ? [profileDir] : []),
      ],
      execArgv: profileDir && isOneProcess ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
      logFile: `${own}.log`,
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
