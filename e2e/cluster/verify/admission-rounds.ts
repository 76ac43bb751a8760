import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { JsonObject, Manifest } from '@witan/manifests/manifest';
import { isManifest, isObject, listAt, objectAt, textAt, titleOf } from '@witan/manifests/manifest';
import { FOLDERS } from '../config.ts';
import type { Round, RoundOutcome } from '../../faults/run-part.ts';
import { applyNamespace, NAMESPACE, removeInstallation } from '../install/installation.ts';
import { composeFolder, kubectl, tryKubectl } from '../kubectl.ts';

const MANIFESTS = fileURLToPath(new URL('../../../deploy/k8s', import.meta.url));
const DRY_RUN = ['apply', '--server-side', '--dry-run=server', '-f', '-'];
/** API groups without a domain, and those of Kubernetes itself, need no installed CRD. */
const OWN_GROUP = /^(?:[^./]+|[\w.]+\.k8s\.io)\//;

/** Rounds in which the API server checks every overlay, every component, and every pod. */
export const listAdmissionRounds = async (): Promise<Round[]> => {
  await removeInstallation();
  await applyNamespace(['--server-side']);
  const overlays = await listFolders('overlays');
  const components = await listFolders('components');
  return [
    ...overlays.map((name) =>
      toRound(`overlays/${name}`, () => composeFolder(folderOf('overlays', name))),
    ),
    ...components.map((name) =>
      toRound(`overlays/prod with components/${name}`, () => composeWith(name)),
    ),
    { name: 'admission: pods that must be refused', run: checkRefusals },
  ];
};

const folderOf = (kind: string, name: string): string => join(MANIFESTS, kind, name);

const listFolders = async (kind: string): Promise<string[]> => {
  const entries = await readdir(join(MANIFESTS, kind), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
};

/** Composes overlays/prod with a component more. */
const composeWith = async (component: string): Promise<string> => {
  const folder = join(FOLDERS.state, 'compose', component);
  await mkdir(folder, { recursive: true });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: NAMESPACE,
    resources: [relative(folder, folderOf('overlays', 'prod'))],
    components: [relative(folder, folderOf('components', component))],
  };
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  return composeFolder(folder);
};

const toRound = (name: string, compose: () => Promise<string>): Round => ({
  name: `admission: ${name}`,
  run: async () => checkAdmission(parseManifests(await compose())),
});

const parseManifests = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as JsonObject)
    .filter(isManifest);

/**
 * Sends every object, and every pod that a workload would create, without storing them. Objects of
 * other products' kinds are not sent unless the cluster has their CRD; the figures list them.
 */
const checkAdmission = async (manifests: readonly Manifest[]): Promise<RoundOutcome> => {
  const known = await listKinds();
  const isKnown = ({ apiVersion, kind }: Manifest): boolean => known.has(`${apiVersion} ${kind}`);
  const unknown = manifests.filter((one) => !isKnown(one));
  const sent = manifests.filter(isKnown);
  const pods = sent.flatMap(toPod);
  const objects = await send(sent);
  const admitted = await send(pods);
  return {
    figures: {
      objects: objects.accepted,
      pods: admitted.accepted,
      notSent: unknown.map((one) => `${one.apiVersion} ${one.kind}`),
    },
    violations: [
      ...objects.violations,
      ...admitted.violations,
      ...unknown
        .filter(({ apiVersion }) => OWN_GROUP.test(`${apiVersion}/`))
        .map((one) => `unknown to the API server: ${titleOf(one)}`),
    ],
  };
};

/** Returns `apiVersion Kind` of everything that the cluster serves. */
const listKinds = async (): Promise<ReadonlySet<string>> => {
  const lines = (await kubectl(['api-resources', '--no-headers'])).trim().split('\n');
  return new Set(
    lines.map((line) => {
      const [apiVersion, , kind] = line.trim().split(/\s+/).slice(-3);
      return `${apiVersion} ${kind}`;
    }),
  );
};

/** Returns the pod of a workload's template, or none. */
const toPod = (manifest: Manifest): Manifest[] => {
  const template = objectAt(manifest, 'spec', 'template');
  if (!isObject(template.spec)) return [];
  const { labels = {} } = objectAt(template, 'metadata');
  const name = `${manifest.kind}-${manifest.metadata.name}`.toLowerCase();
  const { namespace = NAMESPACE } = manifest.metadata;
  const metadata = { name, namespace, labels };
  // The service accounts of a manifest that is not applied do not exist.
  const { serviceAccountName: _, ...spec } = template.spec;
  const claimed = listAt(manifest, 'spec', 'volumeClaimTemplates').map((claim) => ({
    name: textAt(claim, 'metadata', 'name'),
    emptyDir: {},
  }));
  const volumes = [...listAt(spec, 'volumes'), ...claimed];
  return [{ apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, volumes } }];
};

type Sent = { accepted: number; violations: string[] };

const send = async (manifests: readonly Manifest[]): Promise<Sent> => {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
  const { code, stdout, stderr } = await tryKubectl(DRY_RUN, { input });
  const accepted = stdout
    .trim()
    .split('\n')
    .filter((line) => line.includes('server dry run'));
  const violations = stderr.trim() === '' ? [] : stderr.trim().split('\n');
  if (code !== 0) violations.push(`kubectl exited with ${code}`);
  if (accepted.length !== manifests.length) {
    violations.push(`${accepted.length} of ${manifests.length} objects are accepted`);
  }
  return { accepted: accepted.length, violations };
};

const plainPod = (name: string, securityContext: object): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAMESPACE },
    spec: { containers: [{ name: 'main', image: 'witan/ledger:0.1.0', securityContext }] },
  });

/** Shows that the namespace refuses pods that are not restricted. */
const checkRefusals = async (): Promise<RoundOutcome> => {
  const violations: string[] = [];
  const pods = { plain: {}, privileged: { privileged: true }, root: { runAsUser: 0 } };
  for (const [name, securityContext] of Object.entries(pods)) {
    const { code, stderr } = await tryKubectl(DRY_RUN, { input: plainPod(name, securityContext) });
    const isRefused = code !== 0 && stderr.includes('violates PodSecurity "restricted');
    if (!isRefused) violations.push(`${name}: exit code ${code} ${stderr}`);
  }
  return { figures: { refused: Object.keys(pods).length - violations.length }, violations };
};
