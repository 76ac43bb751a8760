import { toText } from '../manifest.ts';
import {
  integerValue,
  optionalBlock,
  requiredBlock,
  textValue,
  toNode,
  toGoPath,
  valueAt,
} from './template-node.ts';
import type { TemplateNode, ValuePath } from './template-node.ts';
import { addEntry, addItems, updateAll, updateAt } from './update-node.ts';
import type { NodePath } from './update-node.ts';

type Site = (node: TemplateNode) => TemplateNode;

const POD: NodePath = ['spec', 'template', 'spec'];
const set =
  (path: NodePath, value: TemplateNode): Site =>
  (node) =>
    updateAt(node, path, () => value);
const add =
  (path: NodePath, key: string, value: TemplateNode): Site =>
  (node) =>
    updateAt(node, path, addEntry(key, value));
const append =
  (path: NodePath, ...items: TemplateNode[]): Site =>
  (node) =>
    updateAt(node, path, addItems(...items));
const onlyIf =
  (...flag: ValuePath): Site =>
  (then) => ({ type: 'when', flag, then });

const NAMESPACE: TemplateNode = {
  type: 'expression',
  text: '.Release.Namespace | quote',
  evaluate: ({ namespace }) => namespace,
};
/** Restarts the pods when a setting changes; kustomize uses the name of the ConfigMap for that. */
const SETTINGS_CHECKSUM: TemplateNode = {
  type: 'expression',
  text: `${toGoPath(['settings'])} | toJson | sha256sum`,
  evaluate: () => 'checksum',
};

/** Returns the image of a program; `owner` is the value with its tag and digest. */
const image = (program: string, owner: ValuePath): TemplateNode => ({
  type: 'expression',
  text: `include "witan.image" (dict "root" $ "name" "${program}" "image" (${toGoPath(owner)}))`,
  evaluate: (context) => {
    const text = (...path: ValuePath): string => toText(valueAt(context, path));
    const [digest, tag] = [text(...owner, 'digest'), text(...owner, 'tag')];
    const name = `${text('image', 'repository')}/${program}`;
    return digest
      ? `${name}@${digest}`
      : `${name}:${tag || text('image', 'tag') || context.appVersion}`;
  },
});

/** Adds what is optional in every pod. `owner` is the value with the container's own part. */
const podSites = (container: string, owner: ValuePath): Site[] => {
  const path: NodePath = [...POD, 'containers', container];
  return [
    set([...path, 'resources'], requiredBlock(...owner, 'resources')),
    add(path, 'imagePullPolicy', optionalBlock('image', 'pullPolicy')),
    append([...path, 'env'], optionalBlock('extraEnv'), optionalBlock(...owner, 'extraEnv')),
    add(POD, 'imagePullSecrets', optionalBlock('image', 'pullSecrets')),
    ...['nodeSelector', 'tolerations', 'priorityClassName'].map((name) =>
      add(POD, name, optionalBlock('pod', name)),
    ),
  ];
};

const COLLECTOR = 'OTEL_EXPORTER_OTLP_ENDPOINT';

const deploymentSites = (service: string): Site[] => {
  const owner = ['services', service];
  const container: NodePath = [...POD, 'containers', 'service'];
  const annotations: TemplateNode = {
    type: 'map',
    entries: new Map([['checksum/settings', SETTINGS_CHECKSUM]]),
  };
  const provider: TemplateNode = {
    type: 'when',
    flag: ['defaultProvider'],
    then: {
      type: 'map',
      entries: new Map([
        ['name', toNode('WITAN_DEFAULT_PROVIDER')],
        ['value', textValue('defaultProvider')],
      ]),
    },
  };
  return [
    add(['spec'], 'replicas', {
      type: 'when',
      flag: [...owner, 'autoscaling', 'enabled'],
      otherwise: integerValue(...owner, 'replicas'),
    }),
    add(['spec', 'template', 'metadata'], 'annotations', annotations),
    set([...container, 'image'], image(service, [...owner, 'image'])),
    ...(service === 'llm-gateway' ? [append([...container, 'env'], provider)] : []),
    set([...container, 'env', COLLECTOR, 'value'], textValue('telemetry', 'endpoint')),
    ...podSites('service', owner),
    append([...container, 'volumeMounts'], optionalBlock('extraVolumeMounts')),
    append([...POD, 'volumes'], optionalBlock('extraVolumes')),
  ];
};

const HOOK = { 'helm.sh/hook': 'pre-install,pre-upgrade' };
const hook = (weight: number): Site =>
  add(
    ['metadata'],
    'annotations',
    toNode({
      ...HOOK,
      'helm.sh/hook-weight': String(weight),
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    }),
  );
/** What the Jobs need is created first, then the streams, then the schemas. */
export const HOOK_WEIGHT = { needs: -10, topology: 0, migrate: 1 } as const;

const jobSites = (name: string): Site[] => [
  set([...POD, 'containers', 'job', 'image'], image('witan', ['jobs', 'image'])),
  ...podSites('job', ['jobs']),
  add([...POD, 'containers', 'job'], 'volumeMounts', optionalBlock('extraVolumeMounts')),
  add(POD, 'volumes', optionalBlock('extraVolumes')),
  ...(name === 'topology'
    ? [set([...POD, 'containers', 'job', 'args', 3], textValue('nats', 'streamReplicas'))]
    : []),
  hook(name === 'topology' ? HOOK_WEIGHT.topology : HOOK_WEIGHT.migrate),
];

const scalerSites = (service: string): Site[] => {
  const owner = ['services', service, 'autoscaling'];
  const target: NodePath = ['spec', 'metrics', 0, 'resource', 'target', 'averageUtilization'];
  return [
    set(['spec', 'minReplicas'], integerValue(...owner, 'minReplicas')),
    set(['spec', 'maxReplicas'], integerValue(...owner, 'maxReplicas')),
    set(target, integerValue(...owner, 'targetCPUUtilizationPercentage')),
    onlyIf(...owner, 'enabled'),
  ];
};

const kedaSites = (service: string): Site[] => {
  const owner = ['services', service, 'autoscaling'];
  const broker: NodePath = ['spec', 'triggers', 0, 'metadata'];
  return [
    set(['spec', 'minReplicaCount'], integerValue(...owner, 'minReplicas')),
    set(['spec', 'maxReplicaCount'], integerValue(...owner, 'maxReplicas')),
    set([...broker, 'natsServerMonitoringEndpoint'], textValue('keda', 'natsMonitoringEndpoint')),
    set([...broker, 'account'], textValue('keda', 'natsAccount')),
    onlyIf(...owner, 'enabled'),
  ];
};

const MONITORING: Site = add(['metadata'], 'labels', {
  type: 'when',
  flag: ['monitoring', 'release'],
  then: { type: 'map', entries: new Map([['release', textValue('monitoring', 'release')]]) },
});

const serverSites = (server: string): Site[] => [
  set(['spec', 'egress', 0, 'to'], requiredBlock(server, 'to')),
  set(['spec', 'egress', 0, 'ports', 0, 'port'], integerValue(server, 'port')),
];

const POLICY_SITES: Readonly<Record<string, Site[]>> = {
  'default-deny': [],
  dns: [set(['spec', 'egress', 0, 'to'], requiredBlock('networkPolicies', 'dns'))],
  'to-postgres': serverSites('postgres'),
  'to-nats': serverSites('nats'),
  'to-collector': serverSites('telemetry'),
};

const policySites = (name: string, ingressRules: number): Site[] => [
  ...(POLICY_SITES[name] ?? [
    // The last rule admits monitoring to the admin port.
    set(
      ['spec', 'ingress', ingressRules - 1, 'from'],
      requiredBlock('networkPolicies', 'monitoring'),
    ),
  ]),
  onlyIf('networkPolicies', 'enabled'),
];

const settingSites = (names: readonly string[]): Site[] =>
  names.map((name) => set(['data', name], textValue('settings', name)));

const sizeOf = (node: TemplateNode): number => (node.type === 'list' ? node.items.length : 0);
const keysOf = (node: TemplateNode): string[] =>
  node.type === 'map' ? [...node.entries.keys()] : [];

/** Returns the node at a path. */
const nodeAt = (node: TemplateNode, path: NodePath): TemplateNode => {
  let found = node;
  updateAt(node, path, (one) => (found = one));
  return found;
};

/** Returns the substitutions of one object by its kind and name. */
const sitesOf = (kind: string, name: string, node: TemplateNode): Site[] => {
  switch (kind) {
    case 'Deployment':
      return deploymentSites(name);
    case 'Job':
      return jobSites(name);
    case 'HorizontalPodAutoscaler':
      return scalerSites(name);
    case 'ScaledObject':
      return kedaSites(name);
    case 'PodMonitor':
      return [
        MONITORING,
        set(['spec', 'podMetricsEndpoints', 0, 'interval'], textValue('monitoring', 'interval')),
      ];
    case 'PrometheusRule':
      return [MONITORING];
    case 'PodDisruptionBudget':
      return [onlyIf('podDisruptionBudgets', 'enabled')];
    case 'NetworkPolicy':
      return policySites(name, POLICY_SITES[name] ? 0 : sizeOf(nodeAt(node, ['spec', 'ingress'])));
    case 'ConfigMap':
      return settingSites(keysOf(nodeAt(node, ['data'])));
    case 'ServiceAccount':
      return name === 'release' ? [hook(HOOK_WEIGHT.needs)] : [];
    default:
      return [];
  }
};

/** Replaces the names of Secrets and ConfigMaps that the installation provides. */
const substituteReferences: Site = (node) =>
  updateAll(node, (one) => {
    if (one.type !== 'map') return one;
    const entries = [...one.entries].map(([key, inner]) => {
      const isNamed = key === 'secretName' || (key === 'name' && one.entries.has('key'));
      const name = inner.type === 'scalar' ? String(inner.value) : '';
      return [key, isNamed ? referenceTo(name, inner) : referenceToKeys(name, inner)] as const;
    });
    return { ...one, entries: new Map(entries) };
  });

const referenceTo = (name: string, node: TemplateNode): TemplateNode => {
  if (name === '' || name === 'settings') return node;
  if (name === 'topology') return textValue('nats', 'topologySecretName');
  const isTls = name.endsWith('-tls');
  const service = name.replace(/-tls$/, '');
  return textValue('services', service, isTls ? 'tlsSecretName' : 'secretName');
};

const referenceToKeys = (name: string, node: TemplateNode): TemplateNode =>
  name === 'service-public-keys' && node.type === 'scalar'
    ? textValue('publicKeysConfigMapName')
    : node;

/** Returns the object with its values substituted. Throws if a site is not in the object. */
export const substitute = (kind: string, name: string, node: TemplateNode): TemplateNode =>
  [
    set(['metadata', 'namespace'], NAMESPACE),
    substituteReferences,
    ...sitesOf(kind, name, node),
  ].reduce((current, site) => site(current), node);

/**
 * Returns a policy for Jobs of a release, selected by a label. The Jobs run before the policies of
 * the release are applied: otherwise those of the last release would decide what they reach.
 */
export const toHookPolicy = (
  policy: TemplateNode,
  name: string,
  labels: Readonly<Record<string, string>>,
): TemplateNode =>
  [
    set(['metadata', 'name'], toNode(`release-${name}`)),
    set(['spec', 'podSelector'], toNode({ matchLabels: { ...labels } })),
    hook(HOOK_WEIGHT.needs),
  ].reduce((current, site) => site(current), policy);
