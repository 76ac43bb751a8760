import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterNode } from '../config.ts';
import { NODES } from '../config.ts';

const ROOT = '/sys/fs/cgroup';
const TOP = 'witan-cluster';
/** Weight of a process of normal priority in `cpu.shares`. */
const SHARES_OF_PROCESS = 1024;
const PROCESSES = 16;
const REMOVE_ATTEMPTS = 50;
const REMOVE_PAUSE_MS = 200;

/** The cgroup below which a node creates those of its pods. */
export const cgroupOf = ({ name }: ClusterNode): string => `/${TOP}/${name}`;

/** Returns whether this machine mounts the unified hierarchy (cgroups v2) only. */
export const hasUnifiedCgroups = (): boolean => existsSync(join(ROOT, 'cgroup.controllers'));

/** Returns the mount point of each hierarchy. */
const listHierarchies = async (): Promise<string[]> => {
  if (hasUnifiedCgroups()) return [ROOT];
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, path, type]) => /^cgroup2?$/.test(type ?? '') && path!.startsWith(`${ROOT}/`))
    .map(([, path]) => path!);
};

/**
 * Creates a cgroup for each node in every hierarchy. Two kubelets must not share one: each deletes
 * the cgroups of pods that it does not know.
 */
export const createCgroups = async (): Promise<void> => {
  const isUnified = hasUnifiedCgroups();
  for (const hierarchy of await listHierarchies()) {
    for (const node of NODES) await mkdir(join(hierarchy, cgroupOf(node)), { recursive: true });
    if (!isUnified) await raiseWeight(join(hierarchy, TOP));
    if (isUnified) await delegateControllers([hierarchy, join(hierarchy, TOP)]);
    if (isUnified) await delegateControllers(NODES.map((node) => join(hierarchy, cgroupOf(node))));
  }
};

/**
 * In cgroups v1, each process outside of other cgroups weighs as much as the whole cluster, which
 * would get no CPU on a busy machine. It gets the weight of 16 processes, about as many as it runs.
 */
const raiseWeight = async (folder: string): Promise<void> => {
  const file = join(folder, 'cpu.shares');
  const shares = await readFile(file, 'utf8').catch(() => undefined);
  if (shares !== undefined) await writeFile(file, String(SHARES_OF_PROCESS * PROCESSES));
};

const delegateControllers = async (folders: readonly string[]): Promise<void> => {
  for (const folder of folders) {
    const controllers = (await readFile(join(folder, 'cgroup.controllers'), 'utf8')).trim();
    const text = controllers.replaceAll(/\S+/g, '+$&');
    await writeFile(join(folder, 'cgroup.subtree_control'), text);
  }
};

/** Removes the cgroups of all nodes; their processes must have been killed. */
export const removeCgroups = async (): Promise<void> => {
  for (const hierarchy of await listHierarchies()) await removeTree(join(hierarchy, TOP));
};

/** Returns the cgroups of nodes that exist. */
export const findCgroups = async (): Promise<string[]> => {
  const found: string[] = [];
  for (const hierarchy of await listHierarchies()) {
    const names = await readdir(hierarchy);
    if (names.includes(TOP)) found.push(join(hierarchy, TOP));
  }
  return found;
};

/** A cgroup is busy until the kernel has released its killed processes. */
const removeTree = async (folder: string): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((one) => one.isDirectory())) {
    await removeTree(join(folder, entry.name));
  }
  for (let attempt = 1; ; attempt += 1) {
    const error = await rmdir(folder).then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (error === undefined || error.code === 'ENOENT') return;
    if (error.code !== 'EBUSY' || attempt === REMOVE_ATTEMPTS) throw error;
    await pause(REMOVE_PAUSE_MS);
  }
};
