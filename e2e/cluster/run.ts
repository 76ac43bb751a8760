import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createInsideEnvironment, FOLDERS, isInsideNetwork, NODES } from './config.ts';
import { buildImages } from './image/build-images.ts';
import { installOverlay, removeInstallation } from './install/installation.ts';
import type { OverlayName } from './install/installation.ts';
import { toNodeCommand } from './node/node-namespaces.ts';
import { importImages, startCluster } from './node/start-cluster.ts';
import { stopCluster } from './node/stop-cluster.ts';
import { buildPrograms } from './program/build-programs.ts';
import { installPackages } from './program/install-packages.ts';
import { log } from './run-command.ts';
import { verify, VERIFY_USAGE } from './verify/verify.ts';

const USAGE = `Usage: npm run cluster -- COMMAND
  build           builds the programs that are missing (also done by images and up)
  images          builds all images; a running cluster imports them
  up              starts a Kubernetes of two nodes in namespaces of this machine
  apply dev|prod  installs an overlay on the running cluster
  verify          installs the overlays one after another and checks them
  down            ends everything and deletes the cluster's state
${VERIFY_USAGE}
WITAN_CLUSTER_HOME is the folder of programs, images and state: ${FOLDERS.home}
`;

const OPTIONS = {
  part: { type: 'string' },
  only: { type: 'string', default: '' },
  reuse: { type: 'boolean', default: false },
} as const;

const prepare = async (): Promise<void> => {
  await installPackages();
  await buildPrograms();
};

const isOverlayName = (name: string | undefined): name is OverlayName =>
  name === 'dev' || name === 'prod';

/** Implements `npm run cluster`. */
const main = async (): Promise<void> => {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [command, overlay, ...others] = positionals;
  if (process.getuid?.() !== 0) throw new Error('Namespaces, mounts and cgroups need root.');
  const isUnderstood = others.length === 0 && (overlay === undefined || command === 'apply');
  if (!isUnderstood) throw new Error(USAGE);
  if (command === 'build') await prepare();
  else if (command === 'images') await runImages();
  else if (command === 'up') await runUp();
  else if (command === 'apply' && isOverlayName(overlay)) await runApply(overlay);
  else if (command === 'verify') await runInside(() => verify(values));
  else if (command === 'down') await stopCluster();
  else throw new Error(USAGE);
};

const runImages = async (): Promise<void> => {
  await prepare();
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  await buildImages(version);
};

const runUp = async (): Promise<void> => {
  await prepare();
  await startCluster();
};

const runApply = async (overlay: OverlayName): Promise<void> => {
  await Promise.all(NODES.map(importImages));
  await removeInstallation();
  const { baseUrl, apiKey } = await installOverlay(overlay);
  log(`${baseUrl} ${apiKey} (reachable from the first node's network)`);
};

/** Runs `work` in a process in the network of the first node, where Services can be reached. */
const runInside = async (work: () => Promise<void>): Promise<void> => {
  if (isInsideNetwork()) return work();
  const command = [process.execPath, ...process.argv.slice(1)];
  const [program, ...args] = await toNodeCommand(NODES[0], command, ['--net']);
  const child = spawn(program, args, { stdio: 'inherit', env: createInsideEnvironment() });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
};

await main();
