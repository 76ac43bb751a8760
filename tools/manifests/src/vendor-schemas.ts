// Writes `schemas/` from three source trees:
// `npm run vendor -w @witan/manifests -- KUBERNETES KEDA PROMETHEUS_OPERATOR`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { isObject, listAt, objectAt } from './manifest.ts';
import type { Json, JsonObject } from './manifest.ts';

const KINDS: Readonly<Record<string, string>> = {
  'v1/ConfigMap': 'io.k8s.api.core.v1.ConfigMap',
  'v1/Namespace': 'io.k8s.api.core.v1.Namespace',
  'v1/PersistentVolumeClaim': 'io.k8s.api.core.v1.PersistentVolumeClaim',
  'v1/Service': 'io.k8s.api.core.v1.Service',
  'v1/ServiceAccount': 'io.k8s.api.core.v1.ServiceAccount',
  'apps/v1/Deployment': 'io.k8s.api.apps.v1.Deployment',
  'apps/v1/StatefulSet': 'io.k8s.api.apps.v1.StatefulSet',
  'batch/v1/Job': 'io.k8s.api.batch.v1.Job',
  'autoscaling/v2/HorizontalPodAutoscaler': 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'policy/v1/PodDisruptionBudget': 'io.k8s.api.policy.v1.PodDisruptionBudget',
  'networking.k8s.io/v1/Ingress': 'io.k8s.api.networking.v1.Ingress',
  'networking.k8s.io/v1/NetworkPolicy': 'io.k8s.api.networking.v1.NetworkPolicy',
};

/** Enum values that the published schema lacks, copied from the `+enum` types of k8s.io/api. */
const ENUMS: Readonly<Record<string, readonly string[]>> = {
  'apps.v1.DeploymentStrategy.type': ['RollingUpdate', 'Recreate'],
  'autoscaling.v2.MetricSpec.type': ['Resource', 'Pods', 'Object', 'External', 'ContainerResource'],
  'autoscaling.v2.MetricTarget.type': ['Utilization', 'Value', 'AverageValue'],
  'core.v1.Container.imagePullPolicy': ['Always', 'Never', 'IfNotPresent'],
  'core.v1.ContainerPort.protocol': ['TCP', 'UDP', 'SCTP'],
  'core.v1.EmptyDirVolumeSource.medium': ['', 'Memory', 'HugePages'],
  'core.v1.HTTPGetAction.scheme': ['HTTP', 'HTTPS'],
  'core.v1.PodSpec.dnsPolicy': ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
  'core.v1.PodSpec.restartPolicy': ['Always', 'OnFailure', 'Never'],
  'core.v1.SeccompProfile.type': ['RuntimeDefault', 'Localhost', 'Unconfined'],
  'core.v1.ServicePort.protocol': ['TCP', 'UDP', 'SCTP'],
  'core.v1.ServiceSpec.type': ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'],
  'core.v1.TopologySpreadConstraint.nodeAffinityPolicy': ['Honor', 'Ignore'],
  'core.v1.TopologySpreadConstraint.nodeTaintsPolicy': ['Honor', 'Ignore'],
  'core.v1.TopologySpreadConstraint.whenUnsatisfiable': ['DoNotSchedule', 'ScheduleAnyway'],
  'networking.v1.NetworkPolicyPort.protocol': ['TCP', 'UDP', 'SCTP'],
  'policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy': [
    'AlwaysAllow',
    'IfHealthyBudget',
  ],
};

const INT_OR_STRING: JsonObject = { type: ['integer', 'string'] };
const QUANTITY: JsonObject = {
  type: ['number', 'string'],
  pattern: String.raw`^[+-]?(\d+|\d+\.\d*|\.\d+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?\d+))?$`,
};

const write = (name: string, schema: JsonObject): void => {
  const file = fileURLToPath(new URL(`../schemas/${name}`, import.meta.url));
  writeFileSync(file, `${JSON.stringify(schema, undefined, 2)}\n`);
};

/**
 * Returns the types, enums and required fields of a schema. Unknown fields are rejected, as strict
 * decoding does, unless the schema preserves them.
 */
const rejectUnknownFields = (schema: JsonObject, location: string): JsonObject => {
  const closed: JsonObject = {};
  const { $ref, type, required, properties, items, additionalProperties } = schema;
  if (typeof $ref === 'string') return { $ref };
  if (schema['x-kubernetes-int-or-string'] === true) return INT_OR_STRING;
  if (type) closed.type = type;
  if (Array.isArray(schema.enum)) closed.enum = schema.enum;
  if (Array.isArray(required)) closed.required = required;
  if (isObject(properties)) {
    closed.properties = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => {
        const path = `${location}.${name}`;
        const values = ENUMS[path.replace(/^io\.k8s\.api\./, '')];
        const fieldSchema = rejectUnknownFields(isObject(inner) ? inner : {}, path);
        return [name, values ? { ...fieldSchema, enum: [...values] } : fieldSchema];
      }),
    );
    const allowsUnknownFields = schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (!allowsUnknownFields) closed.additionalProperties = false;
  }
  if (isObject(items)) closed.items = rejectUnknownFields(items, `${location}[]`);
  if (isObject(additionalProperties)) {
    closed.additionalProperties = rejectUnknownFields(additionalProperties, location);
  }
  return closed;
};

const QUANTITY_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': INT_OR_STRING,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': QUANTITY,
};

const collectDefinitions = (definitions: JsonObject): JsonObject => {
  const collected: JsonObject = {};
  const pendingNames = Object.values(KINDS);
  for (let name = pendingNames.pop(); name !== undefined; name = pendingNames.pop()) {
    if (name in collected) continue;
    const closed = QUANTITY_SCHEMAS[name] ?? rejectUnknownFields(objectAt(definitions, name), name);
    collected[name] = closed;
    const references = JSON.stringify(closed).matchAll(/"#\/definitions\/([^"]+)"/g);
    pendingNames.push(...[...references].map(([, found]) => found!));
  }
  const sorted = Object.entries(collected).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
};

/** Writes the schemas of custom resources, each from the file of its definition (CRD). */
const writeCustom = (
  name: string,
  source: { comment: string; folder: string; files: Readonly<Record<string, string>> },
): void => {
  const definitions = Object.entries(source.files).map(([kind, file]) => {
    const crd = parse(readFileSync(join(source.folder, file), 'utf8')) as Json;
    const [version] = listAt(crd, 'spec', 'versions');
    return [
      kind,
      rejectUnknownFields(objectAt(version, 'schema', 'openAPIV3Schema'), kind),
    ] as const;
  });
  write(name, {
    $comment: source.comment,
    kinds: Object.fromEntries(definitions.map(([kind]) => [kind, kind])),
    definitions: Object.fromEntries(definitions),
  });
};

const [kubernetes = '', keda = '', prometheusOperator = ''] = argv.slice(2);
const swagger = JSON.parse(
  readFileSync(join(kubernetes, 'api/openapi-spec/swagger.json'), 'utf8'),
) as Json;
write('kubernetes.json', {
  $comment: 'Of Kubernetes v1.35.4, api/openapi-spec/swagger.json (Apache-2.0), closed.',
  kinds: KINDS,
  definitions: collectDefinitions(objectAt(swagger, 'definitions')),
});
writeCustom('keda.json', {
  comment: 'Of KEDA v2.20.2, config/crd/bases/keda.sh_scaledobjects.yaml (Apache-2.0), closed.',
  folder: join(keda, 'config/crd/bases'),
  files: { 'keda.sh/v1alpha1/ScaledObject': 'keda.sh_scaledobjects.yaml' },
});
writeCustom('monitoring.json', {
  comment:
    'Of the Prometheus operator v0.93.0, example/prometheus-operator-crd (Apache-2.0), closed.',
  folder: join(prometheusOperator, 'example/prometheus-operator-crd'),
  files: {
    'monitoring.coreos.com/v1/PodMonitor': 'monitoring.coreos.com_podmonitors.yaml',
    'monitoring.coreos.com/v1/PrometheusRule': 'monitoring.coreos.com_prometheusrules.yaml',
  },
});
