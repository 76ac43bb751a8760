import { at, listAt, objectAt, textAt, toText } from './manifest.ts';
import type { Json, JsonObject, Manifest } from './manifest.ts';

export type Workload = {
  manifest: Manifest;
  title: string;
  name: string;
  labels: JsonObject;
  pod: JsonObject;
  containers: readonly JsonObject[];
};

export type Rendered = {
  overlay: string;
  manifests: readonly Manifest[];
  workloads: readonly Workload[];
};

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'Job']);

export const toRendered = (overlay: string, manifests: readonly Manifest[]): Rendered => ({
  overlay,
  manifests,
  workloads: manifests.filter(({ kind }) => WORKLOADS.has(kind)).map(toWorkload),
});

const toWorkload = (manifest: Manifest): Workload => {
  const pod = objectAt(manifest, 'spec', 'template', 'spec');
  const labels = objectAt(manifest, 'spec', 'template', 'metadata', 'labels');
  return {
    manifest,
    title: `${manifest.kind} ${manifest.metadata.name}`,
    name: toText(labels['app.kubernetes.io/name'] ?? ''),
    labels,
    pod,
    containers: listAt(pod, 'containers'),
  };
};

export const manifestsOfKind = ({ manifests }: Rendered, kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

export const findService = ({ workloads }: Rendered, service: string): Workload | undefined =>
  workloads.find(({ manifest, name }) => manifest.kind === 'Deployment' && name === service);

/** Returns true if the selector matches the labels. An empty selector matches everything. */
export const selects = (selector: Json | undefined, labels: JsonObject): boolean =>
  Object.entries(objectAt(selector, 'matchLabels')).every(
    ([key, value]) => labels[key] === value,
  ) && listAt(selector, 'matchExpressions').every((one) => satisfies(one, labels));

const satisfies = (expression: JsonObject, labels: JsonObject): boolean => {
  const values = at(expression, 'values');
  const value = labels[textAt(expression, 'key')];
  const isListed = Array.isArray(values) && value !== undefined && values.includes(value);
  if (expression.operator === 'In') return isListed;
  if (expression.operator === 'NotIn') return !isListed;
  return (expression.operator === 'Exists') === (value !== undefined);
};

export const findPort = (workload: Workload, port: Json | undefined): number | undefined => {
  const found = workload.containers
    .flatMap((container) => listAt(container, 'ports'))
    .find((one) => one.name === port || one.containerPort === port);
  return typeof found?.containerPort === 'number' ? found.containerPort : undefined;
};
