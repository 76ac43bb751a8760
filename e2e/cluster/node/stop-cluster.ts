import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { awaitCondition } from '../await-condition.ts';
import { FOLDERS, NODES } from '../config.ts';
import { log } from '../run-command.ts';
import { findCgroups, removeCgroups } from './cgroups.ts';
import { findFirstProcess, stopNode } from './node-namespaces.ts';

const END_TIMEOUT_MS = 60_000;

/**
 * Kills both nodes and deletes the cluster's state and keys. Throws if a process, a mount or a
 * cgroup of the cluster is left. Interfaces end with the network namespaces that contain them.
 */
export const stopCluster = async (): Promise<void> => {
  const namespaces = await readNetworks();
  for (const node of NODES.toReversed()) await stopNode(node);
  const areProcessesGone = async (): Promise<boolean> =>
    (await findProcesses(namespaces)).length === 0;
  await awaitCondition('all processes have ended', END_TIMEOUT_MS, areProcessesGone);
  await removeCgroups();
  const left = { mounts: await findMounts(), cgroups: await findCgroups() };
  if (left.mounts.length + left.cgroups.length > 0) throw new Error(JSON.stringify(left));
  for (const folder of [FOLDERS.state, FOLDERS.settings]) {
    await rm(folder, { recursive: true, force: true });
  }
  log('no process, mount or cgroup of the cluster is left');
};

/** Returns the network namespaces of the nodes that run. */
const readNetworks = async (): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  for (const node of NODES) {
    const pid = await findFirstProcess(node);
    if (pid !== undefined) found.add(await readlink(`/proc/${pid}/ns/net`));
  }
  return found;
};

/** Returns the processes in the networks, or whose command line names the cluster's state. */
const findProcesses = async (networks: ReadonlySet<string>): Promise<string[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const pid of pids.filter((one) => Number(one) !== process.pid)) {
    const network = await readlink(`/proc/${pid}/ns/net`).catch(() => '');
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const namesState = commandLine.split('\0').some((one) => one.startsWith(`${FOLDERS.state}/`));
    if (networks.has(network) || namesState) found.push(pid);
  }
  return found;
};

const findMounts = async (): Promise<string[]> => {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts.split('\n').filter((line) => line.includes(` ${join(FOLDERS.state, '/')}`));
};
