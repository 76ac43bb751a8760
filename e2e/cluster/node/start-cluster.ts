import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { awaitCondition } from '../await-condition.ts';
import type { ClusterNode } from '../config.ts';
import { FOLDERS, NODES } from '../config.ts';
import { applyText, awaitRollouts, kubectl, tryKubectl } from '../kubectl.ts';
import { log, runCommand, tryCommand } from '../run-command.ts';
import { createCertificates } from './certificates.ts';
import { createCgroups } from './cgroups.ts';
import { API_SERVER, CONTROLLERS, ETCD_DAEMON } from './control-plane.ts';
import { connectNodes } from './node-network.ts';
import { findFirstProcess, startDaemon, startNode, stateOf } from './node-namespaces.ts';
import { readMachine, toImageCommand, toNodeDaemons, writeNodeSettings } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import { toVolumes, VOLUMES } from './volumes.ts';

const SYSTEM = fileURLToPath(new URL('./system.yaml', import.meta.url));
const READY_TIMEOUT_MS = 300_000;

/** Starts a new cluster of two nodes with its DNS and volumes. Throws if one runs. */
export const startCluster = async (): Promise<void> => {
  if ((await findFirstProcess(NODES[0])) !== undefined)
    throw new Error('The cluster runs already.');
  await rm(FOLDERS.state, { recursive: true, force: true });
  await rm(FOLDERS.settings, { recursive: true, force: true });
  await createCertificates();
  await createCgroups();
  const machine = await readMachine();
  log(`machine: ${JSON.stringify(machine)}`);
  const settings = new Map<ClusterNode, NodeSettings>();
  for (const node of NODES) {
    const written = await writeNodeSettings(node, machine);
    settings.set(node, written);
    await startNode(node, written.resolvConf);
  }
  await connectNodes();
  await startControlPlane();
  await Promise.all(NODES.map((node) => startPrograms(node, settings.get(node)!)));
  await addSystem();
};

const startControlPlane = async (): Promise<void> => {
  await startDaemon(NODES[0], ETCD_DAEMON);
  await startDaemon(NODES[0], API_SERVER);
  const isReady = async (): Promise<boolean> =>
    (await tryKubectl(['get', '--raw', '/readyz'])).code === 0;
  await awaitCondition('the API server is ready', READY_TIMEOUT_MS, isReady);
  for (const daemon of CONTROLLERS) await startDaemon(NODES[0], daemon);
  log('the control plane runs');
};

/** Starts a node's programs and imports the images, which no node can pull. */
const startPrograms = async (node: ClusterNode, settings: NodeSettings): Promise<void> => {
  const [containerd, ...others] = toNodeDaemons(node, settings);
  await startDaemon(node, containerd!);
  const version = await toImageCommand(node, ['version']);
  const isReady = async (): Promise<boolean> => (await tryCommand(version)).code === 0;
  await awaitCondition(`containerd of ${node.name}`, READY_TIMEOUT_MS, isReady);
  for (const daemon of others) await startDaemon(node, daemon);
  await importImages(node);
  log(`${node.name} runs`);
};

/** Imports all archives of images into the containerd of a node. */
export const importImages = async (node: ClusterNode): Promise<void> => {
  const archives = (await readdir(FOLDERS.images)).filter((name) => name.endsWith('.tar'));
  for (const archive of archives) {
    const path = join(FOLDERS.images, archive);
    await runCommand(await toImageCommand(node, ['images', 'import', path]));
  }
};

const addSystem = async (): Promise<void> => {
  const volumes = join(stateOf(NODES[0]), 'volumes');
  for (const name of VOLUMES) await mkdir(join(volumes, name), { recursive: true });
  await applyText(await readFile(SYSTEM, 'utf8'));
  await applyText(toVolumes(volumes));
  const ready = ['--for=condition=Ready', 'node', '--all', '--timeout=300s'];
  await kubectl(['wait', ...ready]);
  await awaitRollouts('kube-system', READY_TIMEOUT_MS);
};
