import { posix } from 'node:path';
import { at, listAt, objectAt, textAt, titleOf, toText } from '../manifest.ts';
import type { Json, JsonObject } from '../manifest.ts';
import { manifestsOfKind } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';
import type { Provided } from './check-provided.ts';

type Context = { rendered: Rendered; provided: Provided };

/**
 * Checks that referenced objects, keys, volumes and files are in the overlay or provided by the
 * installation, that no object exists twice, and that a workload has at most one autoscaler.
 */
export const checkReferences = (rendered: Rendered, provided: Provided): string[] => {
  const context = { rendered, provided };
  return [
    ...checkDuplicates(rendered),
    ...rendered.workloads.flatMap((workload) => [
      ...checkAccount(context, workload),
      ...checkSources(context, workload),
      ...checkVolumes(context, workload),
      ...workload.containers.flatMap((container) => [
        ...checkMounts(workload, container),
        ...checkPaths(context, workload, container),
      ]),
    ]),
    ...checkScalers(rendered),
  ];
};

const checkDuplicates = ({ manifests }: Rendered): string[] => {
  const seen = new Set<string>();
  return manifests
    .map(titleOf)
    .filter((title) => seen.size === seen.add(title).size)
    .map((title) => `${title} exists twice.`);
};

const checkAccount = ({ rendered }: Context, { title, pod }: Workload): string[] => {
  const name = textAt(pod, 'serviceAccountName');
  const exists = manifestsOfKind(rendered, 'ServiceAccount').some(
    ({ metadata }) => metadata.name === name,
  );
  return exists ? [] : [`${title} runs as ServiceAccount ${name || 'default'}, not there.`];
};

const keysOf = (
  { rendered, provided }: Context,
  kind: 'ConfigMap' | 'Secret',
  name: string,
): readonly string[] | undefined => {
  const own = manifestsOfKind(rendered, kind).find(({ metadata }) => metadata.name === name);
  if (own) return Object.keys(objectAt(own, 'data'));
  const given = (kind === 'Secret' ? provided.secrets : provided.configMaps)[name];
  return given && Object.keys(given);
};

const checkSources = (context: Context, { title, containers }: Workload): string[] =>
  containers
    .flatMap((container) => listAt(container, 'env'))
    .flatMap((variable) => {
      const sources = Object.entries(objectAt(variable, 'valueFrom'));
      return sources.flatMap(([source, reference]) => {
        const kind = SOURCES[source];
        const where = `${title}: ${textAt(variable, 'name')}`;
        if (!kind) return [`${where} comes from a ${source}, which is not supported.`];
        const [name, key] = [textAt(reference, 'name'), textAt(reference, 'key')];
        if (keysOf(context, kind, name)?.includes(key)) return [];
        return [`${where} comes from ${kind} ${name} ${key}, not there.`];
      });
    });

const SOURCES: Readonly<Record<string, 'ConfigMap' | 'Secret'>> = {
  configMapKeyRef: 'ConfigMap',
  secretKeyRef: 'Secret',
};

/** Returns the files of a volume, or undefined if the manifests do not determine them. */
const filesOf = (context: Context, volume: JsonObject): readonly string[] | undefined => {
  const [kind, source, name] = volume.secret
    ? (['Secret', volume.secret, textAt(volume, 'secret', 'secretName')] as const)
    : (['ConfigMap', volume.configMap, textAt(volume, 'configMap', 'name')] as const);
  if (!source) return undefined;
  const keys = keysOf(context, kind, name) ?? [];
  const items = listAt(source, 'items');
  if (items.length === 0) return keys;
  return items.filter(({ key }) => keys.includes(toText(key))).map(({ path }) => toText(path));
};

const checkVolumes = (context: Context, { title, pod, manifest }: Workload): string[] => {
  const mounted = new Set(
    listAt(pod, 'containers').flatMap((one) => listAt(one, 'volumeMounts').map(({ name }) => name)),
  );
  const claims = manifestsOfKind(context.rendered, 'PersistentVolumeClaim').map(
    (one) => one.metadata.name,
  );
  const own = listAt(manifest, 'spec', 'volumeClaimTemplates').map((one) =>
    textAt(one, 'metadata', 'name'),
  );
  return [
    ...listAt(pod, 'volumes').flatMap((volume) => {
      const name = textAt(volume, 'name');
      const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
      const items = listAt(volume.secret ?? volume.configMap, 'items');
      const files = filesOf(context, volume);
      const lacksFiles = files !== undefined && files.length < Math.max(items.length, 1);
      return [
        ...(mounted.has(name) ? [] : [`${title}: the volume ${name} is mounted nowhere.`]),
        ...(lacksFiles ? [`${title}: the source of the volume ${name} does not exist.`] : []),
        ...(claim && !claims.includes(claim) ? [`${title}: there is no claim ${claim}.`] : []),
      ];
    }),
    ...own
      .filter((name) => !mounted.has(name))
      .map((name) => `${title}: the claim ${name} is mounted nowhere.`),
  ];
};

const checkMounts = ({ title, pod, manifest }: Workload, container: JsonObject): string[] => {
  const names = new Set([
    ...listAt(pod, 'volumes').map(({ name }) => name),
    ...listAt(manifest, 'spec', 'volumeClaimTemplates').map((one) => at(one, 'metadata', 'name')),
  ]);
  return listAt(container, 'volumeMounts')
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => `${title} mounts ${toText(name)}, which is not one of its volumes.`);
};

/**
 * Checks that a variable whose value is an absolute path, or whose name ends with `_FILE`, refers
 * to a file of a mounted Secret or ConfigMap, or to one on a claim that the service may write.
 */
const checkPaths = (context: Context, workload: Workload, container: JsonObject): string[] =>
  listAt(container, 'env')
    .filter(({ name, value }) => isFile(name, value))
    .filter(({ value }) => {
      const folder = posix.dirname(toText(value));
      const mount = listAt(container, 'volumeMounts').find((one) => one.mountPath === folder);
      const volume = listAt(workload.pod, 'volumes').find(({ name }) => name === mount?.name);
      if (volume?.persistentVolumeClaim && mount?.readOnly !== true) return false;
      const files = volume && filesOf(context, volume);
      return !files?.includes(posix.basename(toText(value)));
    })
    .map(({ name, value }) => `${workload.title}: ${toText(name)} is ${toText(value)}, not there.`);

const isFile = (name: Json | undefined, value: Json | undefined): boolean =>
  typeof value === 'string' && (value.startsWith('/') || toText(name).endsWith('_FILE'));

const checkScalers = (rendered: Rendered): string[] => {
  const seen = new Set<string>();
  const scalers = [
    ...manifestsOfKind(rendered, 'HorizontalPodAutoscaler'),
    ...manifestsOfKind(rendered, SCALED),
  ];
  return scalers.flatMap((scaler) => {
    const target = objectAt(scaler, 'spec', 'scaleTargetRef');
    const kind = textAt(target, 'kind') || 'Deployment';
    const title = `${kind} ${textAt(target, 'name')}`;
    const found = rendered.workloads.find((workload) => workload.title === title);
    if (!found) return [`${titleOf(scaler)} scales ${title}, not there.`];
    const isScaled = seen.size === seen.add(title).size;
    const isFixed = at(found.manifest, 'spec', 'replicas') !== undefined;
    return [
      ...(isScaled ? [`${title} has two autoscalers.`] : []),
      ...(isFixed ? [`${title} sets replicas, which its autoscaler decides.`] : []),
    ];
  });
};

const SCALED = 'ScaledObject';
