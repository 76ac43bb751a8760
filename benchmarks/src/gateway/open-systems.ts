import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemFile } from '@witan/stack';
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from '@witan/stack/system/memory-limits';
import { fetch } from 'undici';
import type { Agent } from 'undici';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import type { InspectOrder } from './inside/inspect-process.ts';
import type { PeerName } from './peers/peers.ts';
import type { HttpLoad, HttpLoadResult } from '../load/http-clients.ts';

/** A bare node:http proxy: it forwards bytes, or also parses, searches, hashes and signs. */
export type ReferenceName = 'pipe' | 'floor-work';

/** A system that the clients call: a reference, Witan, the floor, or a peer. */
export type GatewaySystem = {
  name: ReferenceName | WitanName | 'floor' | PeerName;
  role: 'reference' | 'witan' | 'floor' | 'peer';
  /** Base URL, to which the path of a dialect is appended. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Text before the model's name in requests. */
  modelPrefix?: string;
  /** Version of a peer. */
  version?: string;
  /** Pids of the processes whose CPU is measured, by name. */
  processes: Readonly<Record<string, number>>;
  /** Content of Witan's `system.json`, for the checks after the load. */
  file?: SystemFile;
  /** Orders Witan's own process to profile itself or to count. */
  inspect?: (order: InspectOrder) => Promise<unknown>;
};

/**
 * Witan's systems by name, each with how its services are divided among processes: all in one, or
 * one per service.
 */
export const WITAN_MODES = { standalone: 'standalone', separate: 'processes' } as const;
export type WitanName = keyof typeof WITAN_MODES;

export type HttpClients = Program<object, HttpLoad, HttpLoadResult>;
export type Provider = Program<{ url: string }>;

/** Creates a folder for databases and logs, which is deleted when `resources` are disposed. */
export const openStateDir = async (resources: AsyncDisposableStack): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'witan-bench-'));
  resources.defer(() => rm(dir, { recursive: true, force: true }));
  // PostgreSQL does not run as root; its own user must be able to traverse this folder.
  await chmod(dir, 0o711);
  return dir;
};

export const openProvider = (
  stateDir: string,
  resources: AsyncDisposableStack,
): Promise<Provider> => openProgram({ file: 'gateway/mock-provider.ts', stateDir }, resources);

export const openHttpClients = (
  stateDir: string,
  resources: AsyncDisposableStack,
): Promise<HttpClients> => openProgram({ file: 'load/http-clients.ts', stateDir }, resources);

const REFERENCE_FILES: Readonly<Record<ReferenceName, string>> = {
  pipe: 'gateway/http-pipe.ts',
  'floor-work': 'gateway/floor-work.ts',
};

export const openReference = async (
  name: ReferenceName,
  { stateDir, providerUrl }: { stateDir: string; providerUrl: string },
  resources: AsyncDisposableStack,
): Promise<GatewaySystem> => {
  const options = { file: REFERENCE_FILES[name], args: [providerUrl], stateDir };
  const reference = await openProgram<{ url: string }>(options, resources);
  return {
    name,
    role: 'reference',
    url: reference.ready.url,
    headers: {},
    processes: { [name]: reference.pid },
  };
};

export type WitanOptions = {
  mode: (typeof WITAN_MODES)[WitanName];
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
  { mode, stateDir, providerUrl, profileDir }: WitanOptions,
  resources: AsyncDisposableStack,
): Promise<GatewaySystem & { file: SystemFile }> => {
  const isOneProcess = mode === 'standalone';
  const systemHome = join(stateDir, mode);
  const profiledChildren = profileDir && !isOneProcess ? [profileDir] : [];
  const host = await openProgram<SystemFile, InspectOrder, unknown>(
    {
      file: 'gateway/system-host.ts',
      args: [mode, systemHome, providerUrl, ...profiledChildren],
      execArgv: [
        ...MEMORY_FLAGS,
        ...(profileDir && isOneProcess ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : []),
      ],
      env: { ...(process.env as Record<string, string>), ...MEMORY_ENVIRONMENT },
      stateDir,
      name: mode,
    },
    resources,
  );
  const file = host.ready;
  const { postgres, ...services } = file.pids;
  if (postgres === undefined) throw new Error('Witan runs without a PostgreSQL of its own.');
  return {
    name: isOneProcess ? 'standalone' : 'separate',
    role: 'witan',
    url: file.baseUrl,
    headers: { 'x-api-key': file.apiKey },
    processes: isOneProcess
      ? { witan: host.pid, postgres }
      : { supervisor: host.pid, ...services, postgres },
    file,
    inspect: host.execute,
  };
};

/**
 * Returns a function that calls the API and returns the parsed response. It rejects unless the
 * status is 2xx.
 */
export const createApiCall =
  ({ baseUrl, apiKey }: SystemFile, dispatcher?: Agent) =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const options = {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(dispatcher ? { dispatcher } : {}),
    };
    const answer = await fetch(`${baseUrl}/v1${path}`, options);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} /v1${path} was answered ${answer.status}: ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  };
