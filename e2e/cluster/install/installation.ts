import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { awaitCondition } from '../await-condition.ts';
import { FOLDERS, NODES } from '../config.ts';
import {
  applyText,
  awaitRollouts,
  composeFolder,
  getObjects,
  kubectl,
  tryKubectl,
} from '../kubectl.ts';
import { AUTHORITY } from '../node/certificates.ts';
import { stateOf } from '../node/node-namespaces.ts';
import { toVolumes, VOLUMES } from '../node/volumes.ts';
import { log, runCommand } from '../run-command.ts';
import { makeProdSecrets } from './make-prod-secrets.ts';

export type OverlayName = 'dev' | 'prod';

/** An overlay on the cluster, the URL of its Service `api-gateway`, and a workspace's key. */
export type Installation = { overlay: OverlayName; baseUrl: string; apiKey: string };

export const NAMESPACE = 'witan';
const STORES = ['postgres', 'nats'] as const;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OWN = fileURLToPath(new URL('.', import.meta.url));
const NAMESPACE_FILE = join(ROOT, 'deploy/k8s/base/namespace.yaml');
const ROLLOUT_TIMEOUT_MS = 900_000;
const ACCOUNT_TIMEOUT_MS = 60_000;

const installationFile = (): string => join(FOLDERS.state, 'installation.json');

/** Returns the current installation, or undefined if there is none. */
export const findInstallation = async (): Promise<Installation | undefined> => {
  const text = await readFile(installationFile(), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Installation);
};

/** Returns the manifests of an overlay as the suite applies it. */
export const composeOverlay = (overlay: OverlayName): Promise<string> =>
  composeFolder(join(OWN, overlay));

/**
 * Applies an overlay with new secrets, waits until every service is ready, and creates a workspace
 * with the Job of docs/kubernetes.md. A previous installation must have been removed.
 */
export const installOverlay = async (overlay: OverlayName): Promise<Installation> => {
  await applyNamespace();
  await applySecrets(overlay);
  if (overlay === 'prod') await applyStores();
  await applyText(await composeOverlay(overlay));
  if (overlay === 'prod') await applyText(await composeFolder(join(OWN, 'provision')));
  log(`overlays/${overlay} is applied`);
  await awaitRollouts(NAMESPACE, ROLLOUT_TIMEOUT_MS);
  const service = ['-n', NAMESPACE, 'service', 'api-gateway'];
  const { spec } = await getObjects<{ spec: { clusterIP: string } }>(service);
  const apiKey = await createWorkspace();
  const installation = { overlay, baseUrl: `http://${spec.clusterIP}`, apiKey };
  await writeFile(installationFile(), JSON.stringify(installation), { mode: 0o600 });
  return installation;
};

/**
 * Applies the namespace and waits until pods can be created in it. Later applies must be on the
 * same side, because kubectl warns of a change of the field manager otherwise.
 */
export const applyNamespace = async (flags: readonly string[] = []): Promise<void> => {
  await kubectl(['apply', ...flags, '-f', NAMESPACE_FILE]);
  const account = ['-n', NAMESPACE, 'get', 'serviceaccount', 'default'];
  await awaitCondition('the default service account', ACCOUNT_TIMEOUT_MS, async () => {
    const { code } = await tryKubectl(account);
    return code === 0;
  });
};

const applySecrets = async (overlay: OverlayName): Promise<void> => {
  const script = join(ROOT, 'tools/manifests/src/make-secrets.ts');
  const made = await runCommand([process.execPath, script], { cwd: ROOT });
  const list = JSON.parse(made) as { items: Parameters<typeof makeProdSecrets>[0] };
  const items = overlay === 'prod' ? await makeProdSecrets(list.items) : list.items;
  const receiver = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'receiver-ca', namespace: NAMESPACE },
    data: { 'ca.crt': await readFile(AUTHORITY, 'utf8') },
  };
  const namespaces = (overlay === 'prod' ? STORES : []).map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  await applyText(
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...namespaces, ...items, receiver] }),
  );
};

const applyStores = async (): Promise<void> => {
  for (const store of STORES) {
    await applyText(await composeFolder(join(OWN, store)));
  }
  for (const store of STORES) {
    const timeout = `--timeout=${ROLLOUT_TIMEOUT_MS / 1_000}s`;
    await kubectl(['-n', store, 'rollout', 'status', `statefulset/${store}`, timeout]);
  }
};

/** Runs the Job of docs/kubernetes.md and returns the key that it printed. */
const createWorkspace = async (): Promise<string> => {
  const guide = await readFile(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const [, job] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  if (job === undefined) throw new Error('docs/kubernetes.md contains no Job.');
  await applyText(job);
  const name = 'job/workspace-create';
  await kubectl(['-n', NAMESPACE, 'wait', '--for=condition=complete', name, '--timeout=180s']);
  const output = await kubectl(['-n', NAMESPACE, 'logs', name]);
  const [key] = /sk_live_\w+/.exec(output) ?? [];
  if (key === undefined) throw new Error('The Job workspace-create printed no key.');
  return key;
};

/** Deletes the namespaces of an installation and its data. Running calls are cut. */
export const removeInstallation = async (): Promise<void> => {
  await rm(installationFile(), { force: true });
  const namespaces = [NAMESPACE, ...STORES];
  for (const namespace of namespaces) {
    const all = ['-n', namespace, 'delete', '--all', '--ignore-not-found'];
    await kubectl([...all, 'deployment,replicaset,statefulset,job', '--wait=false']);
    // A namespace is deleted only after half of the grace period of its last pod.
    await kubectl([...all, 'pod', '--grace-period=1', '--timeout=120s']);
  }
  await kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--timeout=300s']);
  await clearVolumes();
};

/** Volumes of deleted claims are not bound again, so they are replaced by empty ones. */
const clearVolumes = async (): Promise<void> => {
  await kubectl(['delete', 'persistentvolume', ...VOLUMES, '--ignore-not-found']);
  const folder = join(stateOf(NODES[0]), 'volumes');
  await rm(folder, { recursive: true, force: true });
  for (const name of VOLUMES) await mkdir(join(folder, name), { recursive: true });
  await applyText(toVolumes(folder));
};
