import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { awaitCondition } from '../await-condition.ts';
import type { ClusterNode } from '../config.ts';
import { FOLDERS } from '../config.ts';
import { findRecorded, formatIdentity, readIdentity } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** Program that is started in a node's namespaces, with its arguments. */
export type Daemon = { name: string; command: readonly [string, ...string[]] };

const FIRST_PROCESS = fileURLToPath(new URL('./first-process.sh', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 30_000;

export const stateOf = ({ name }: ClusterNode): string => join(FOLDERS.state, name);
const pidFileOf = (node: ClusterNode): string => join(stateOf(node), 'first.pid');

/** Returns the process id of the node's first process, or undefined if the node does not run. */
export const findFirstProcess = async (node: ClusterNode): Promise<number | undefined> => {
  const text = await readFile(pidFileOf(node), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // Another process, for example of a container, may have got the id of one that has ended.
  return findRecorded(text);
};

/** Creates the namespaces of a node. Its first process has made all mounts when this resolves. */
export const startNode = async (node: ClusterNode, resolvConf: string): Promise<void> => {
  const state = stateOf(node);
  await mkdir(join(state, 'log'), { recursive: true });
  await rm(join(state, 'ready'), { force: true });
  const log = await open(join(state, 'log/first-process'), 'a');
  const flags = ['--net', '--mount', '--pid', '--fork', '--mount-proc'];
  const outer = spawn('unshare', [...flags, FIRST_PROCESS, state, resolvConf], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  outer.unref();
  await log.close();
  const children = `/proc/${outer.pid}/task/${outer.pid}/children`;
  const readFirst = async (): Promise<ProcessIdentity | undefined> =>
    readIdentity(Number.parseInt(await readFile(children, 'utf8'), 10));
  const hasStarted = async (): Promise<boolean> => (await readFirst()) !== undefined;
  await awaitCondition(`the first process of ${node.name}`, START_TIMEOUT_MS, hasStarted);
  await writeFile(pidFileOf(node), formatIdentity((await readFirst())!));
  const isReady = (): boolean => existsSync(join(state, 'ready'));
  const logFile = join(state, 'log/first-process');
  await awaitCondition(`the mounts of ${node.name} (${logFile})`, START_TIMEOUT_MS, isReady);
};

/** Returns the command that runs `command` in the namespaces of the node. */
export const toNodeCommand = async (
  node: ClusterNode,
  command: readonly string[],
  namespaces: readonly string[] = ['--net', '--mount', '--pid'],
): Promise<[string, ...string[]]> => {
  const pid = await findFirstProcess(node);
  if (pid === undefined) throw new Error(`${node.name} does not run: npm run cluster -- up`);
  return ['nsenter', ...namespaces, '-t', String(pid), ...command];
};

/** Starts a daemon that ends with the node. It logs to `log/NAME` of the node's state. */
export const startDaemon = async (node: ClusterNode, { name, command }: Daemon): Promise<void> => {
  const log = await open(join(stateOf(node), 'log', name), 'a');
  const [program, ...args] = await toNodeCommand(node, command);
  const stdio = ['ignore', log.fd, log.fd] as const;
  spawn(program, args, { detached: true, stdio: [...stdio] }).unref();
  await log.close();
};

/** Kills the node's first process, which ends all its processes, mounts and interfaces. */
export const stopNode = async (node: ClusterNode): Promise<void> => {
  const pid = await findFirstProcess(node);
  if (pid === undefined) return;
  process.kill(pid, 'SIGKILL');
  const hasEnded = async (): Promise<boolean> => (await findFirstProcess(node)) === undefined;
  await awaitCondition(`the end of ${node.name}`, END_TIMEOUT_MS, hasEnded);
  await rm(pidFileOf(node), { force: true });
};
