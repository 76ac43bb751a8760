import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fetch } from 'undici';
import { CannotMeasure } from '../../bench.ts';
import type { BenchContext } from '../../bench.ts';
import { endProcess } from '../../program/open-program.ts';
import { GATEWAY_LOADS } from '../gateway-loads.ts';
import type { GatewaySystem } from '../open-systems.ts';
import { TRAFFIC } from '../traffic/traffic.ts';
import { PEERS } from './peers.ts';
import type { Peer } from './peers.ts';

/** LiteLLM takes most of a minute to start on a busy machine. */
const START_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 250;
/** Line of a peer that selects its port itself. The paths of the dialects begin with `/v1`. */
const PRINTED_URL = /^listening (\S+)\/v1$/m;

type PeerContext = Pick<BenchContext, 'stateDir' | 'resources' | 'log'> & { providerUrl: string };

/** Starts all peers that are installed in `folder`; none if it is undefined. */
export const openPeers = async (
  folder: string | undefined,
  context: PeerContext,
): Promise<GatewaySystem[]> => {
  if (folder === undefined) {
    context.log('WITAN_BENCH_PEERS is not set: no peers are measured');
    return [];
  }
  const systems: GatewaySystem[] = [];
  for (const peer of PEERS) {
    if (existsSync(join(folder, peer.file))) {
      context.log(`starting ${peer.name}`);
      systems.push(await openPeer(peer, folder, context));
    } else context.log(`${peer.name} is not installed in ${folder}`);
  }
  return systems;
};

const openPeer = async (
  peer: Peer,
  folder: string,
  { stateDir, resources, providerUrl }: PeerContext,
): Promise<GatewaySystem> => {
  const port = await findFreePort();
  const configFile = join(stateDir, `${peer.name}.conf`);
  await writeFile(configFile, peer.toConfig(providerUrl));
  const { command, args, env } = peer.toCommand({ folder, port, configFile });
  const logFile = join(stateDir, `${peer.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, {
    cwd: stateDir,
    env: { PATH: process.env['PATH'], HOME: stateDir, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  resources.defer(() => endProcess(child));
  const system: GatewaySystem = {
    name: peer.name,
    role: 'peer',
    version: peer.readVersion(folder),
    url: `http://127.0.0.1:${port}`,
    headers: peer.toHeaders(providerUrl),
    modelPrefix: peer.modelPrefix,
    processes: { [peer.name]: child.pid! },
  };
  return await waitUntilReady(system, child, logFile);
};

/** Repeats a call until it is answered. */
const waitUntilReady = async (
  system: GatewaySystem,
  child: ChildProcess,
  logFile: string,
): Promise<GatewaySystem> => {
  const load = GATEWAY_LOADS.find(({ name }) => name === 'chat-plain')!;
  const { path, makeRequest } = TRAFFIC.chat;
  const body = makeRequest({ ...load, model: `${system.modelPrefix}${load.model}` });
  const headers = { 'content-type': 'application/json', ...system.headers };
  const endsAt = performance.now() + START_TIMEOUT_MS;
  let failure = 'no response';
  while (performance.now() < endsAt && child.exitCode === null) {
    await pause(POLL_INTERVAL_MS);
    const printedUrl = PRINTED_URL.exec(await readFile(logFile, 'utf8'))?.[1];
    const url = printedUrl ?? system.url;
    try {
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body });
      if (answer.ok) return { ...system, url };
      failure = `status ${answer.status}: ${await answer.text()}`;
    } catch (error) {
      failure = (error as Error).message;
    }
  }
  throw new CannotMeasure(`${system.name} did not start: ${failure}`);
};

const findFreePort = (): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
  return promise;
};
