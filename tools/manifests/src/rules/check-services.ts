import { at, listAt, textAt } from '../manifest.ts';
import { findService, manifestsOfKind } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';

/**
 * Checks that every service of the call graph has its objects and a migration Job, that every
 * Deployment is such a service, and that all objects are in one restricted Namespace.
 */
export const checkServices = (rendered: Rendered, services: readonly string[]): string[] => [
  ...services.flatMap((service) => checkParts(rendered, service)),
  ...rendered.workloads
    .filter(({ manifest, name }) => manifest.kind === 'Deployment' && !services.includes(name))
    .map(({ title }) => `${title} is not a service of deploy/call-graph.json.`),
  ...checkNamespace(rendered),
];

const REQUIRED_KINDS = ['Deployment', 'Service', 'ServiceAccount', 'NetworkPolicy'];
/**
 * Kinds that an overlay contains for every service or for none. A ScaledObject replaces a
 * HorizontalPodAutoscaler, and a service with a fixed number of replicas has neither.
 */
const AVAILABILITY = ['PodDisruptionBudget', 'HorizontalPodAutoscaler'];

const checkParts = (rendered: Rendered, service: string): string[] => {
  const has = (kind: string, name: string): boolean =>
    manifestsOfKind(rendered, kind).some(({ metadata }) => metadata.name === name);
  const isScaled = AVAILABILITY.some((kind) => manifestsOfKind(rendered, kind).length > 0);
  const isFixed = at(findService(rendered, service)?.manifest, 'spec', 'replicas') !== undefined;
  const isScaledOtherwise = isFixed || has('ScaledObject', service);
  const wanted = [...REQUIRED_KINDS, ...(isScaled ? AVAILABILITY : [])];
  return [
    ...wanted
      .filter((kind) => !has(kind, service))
      .filter((kind) => !(isScaledOtherwise && kind === 'HorizontalPodAutoscaler'))
      .map((kind) => `There is no ${kind} ${service}.`),
    ...(rendered.workloads.some((workload) => isMigration(workload, service))
      ? []
      : [`There is no Job that migrates ${service}.`]),
  ];
};

const isMigration = ({ manifest, containers }: Workload, service: string): boolean => {
  const args = at(containers[0], 'args');
  const [command, name] = Array.isArray(args) ? args : [];
  const url = listAt(containers[0], 'env').find((one) => one.name === 'DATABASE_URL');
  const secret = textAt(url, 'valueFrom', 'secretKeyRef', 'name');
  return manifest.kind === 'Job' && command === 'migrate' && name === service && secret === service;
};

const POD_SECURITY_LABEL = 'pod-security.kubernetes.io/enforce';

const checkNamespace = (rendered: Rendered): string[] => {
  const [namespace, ...others] = manifestsOfKind(rendered, 'Namespace');
  if (!namespace || others.length > 0) return ['There is not one Namespace.'];
  const { name } = namespace.metadata;
  const inOtherNamespace = rendered.manifests.filter(
    ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== name,
  );
  return [
    ...(at(namespace, 'metadata', 'labels', POD_SECURITY_LABEL) === 'restricted'
      ? []
      : [`Namespace ${name} takes pods that are not restricted.`]),
    ...inOtherNamespace.map(({ kind, metadata }) => `${kind} ${metadata.name} is not in ${name}.`),
  ];
};
