import { describe, expect, it } from '@jest/globals';
import { checkManifests } from '../src/check-manifests.ts';
import { EDGE_EXPORT } from '../src/files.ts';
import { READERS } from '../src/readers.ts';
import { findReadVariables } from '../src/rules/check-environment.ts';
import { FILES, K8S, mutate, toChange } from './mutate.ts';
import type { Mutation } from './mutate.ts';

const POD = `${K8S}/base/pod.yaml`;
const SERVICES = `${K8S}/base/services`;
const LEDGER = `${SERVICES}/ledger.yaml`;
const NOTIFIER = `${SERVICES}/notifier.yaml`;
const API_GATEWAY = `${SERVICES}/api-gateway.yaml`;
const BASE = `${K8S}/base/kustomization.yaml`;
const POLICIES = `${K8S}/base/network-policies.yaml`;
const JOBS = `${K8S}/base/jobs.yaml`;
const JOB_POD = `${K8S}/components/job-pod/job-pod.yaml`;
const PROD = `${K8S}/overlays/prod/kustomization.yaml`;
const STORES = `${K8S}/overlays/prod/data-stores.yaml`;
const KEDA = `${K8S}/components/keda`;
const TRANSPARENCY_LOG = `${K8S}/components/transparency-log`;
const GUIDE = 'docs/kubernetes.md';

const MUTATIONS: readonly Mutation[] = [
  [
    'a service with events and without a broker',
    toChange(NOTIFIER, 'name: NATS_URL', 'name: BROKER_URL'),
    /notifier would not start: NATS_URL is required/,
  ],
  [
    'an unknown field',
    toChange(
      POD,
      'enableServiceLinks: false',
      'enableServiceLinks: false\n      enableLinks: true',
    ),
    /additional properties enableLinks/,
  ],
  [
    'a field of the wrong type',
    toChange(POD, 'minReadySeconds: 35', 'minReadySeconds: soon'),
    /integer/,
  ],
  [
    'an unknown enum value',
    toChange(POD, 'type: RollingUpdate', 'type: Rolling'),
    /DeploymentStrategy|allowed/,
  ],
  ['an invalid quantity', toChange(LEDGER, 'memory: 256Mi', 'memory: 256MB'), /pattern/],
  ['an outdated API version', toChange(LEDGER, 'policy/v1', 'policy/v1beta1'), /has no schema/],
  [
    'a duplicate field',
    toChange(POD, 'minReadySeconds: 35', 'minReadySeconds: 35\n  minReadySeconds: 5'),
    /unique/,
  ],
  [
    'an unsupported kustomize feature',
    toChange(PROD, 'namespace: witan', 'namespace: witan\nnamePrefix: my-'),
    /namePrefix/,
  ],
  [
    'a patch without a target',
    toChange(`${K8S}/overlays/dev/topology.yaml`, 'name: topology', 'name: topologies'),
    /Job topologies, which is not there/,
  ],
  [
    'pods that their Deployment does not select',
    toChange(LEDGER, 'labels: { app.kubernetes.io/name: ledger }', 'labels: { app: ledger }'),
    /does not select its own pods/,
  ],
  [
    'a Service without pods',
    toChange(LEDGER, 'selector: { app.kubernetes.io/name: ledger }', 'selector: { app: ledger }'),
    /Service ledger selects no pods/,
  ],
  [
    'a disruption budget for other pods',
    toChange(
      LEDGER,
      'AlwaysAllow\n  selector: { matchLabels: { app.kubernetes.io/name: ledger } }',
      'AlwaysAllow\n  selector: { matchLabels: { app.kubernetes.io/part-of: witan } }',
    ),
    /PodDisruptionBudget ledger selects/,
  ],
  [
    'a topology spread by other labels',
    toChange(
      POD,
      'labelSelector: { matchLabels: { app.kubernetes.io/component: service } }',
      'labelSelector: { matchLabels: { app: any } }',
    ),
    /by labels of other pods/,
  ],
  [
    'a Service with an unknown target port',
    toChange(LEDGER, 'targetPort: grpc', 'targetPort: rpc'),
    /port rpc/,
  ],
  [
    'a probe of an unknown port',
    toChange(POD, 'path: /livez, port: admin', 'path: /livez, port: adm'),
    /port adm/,
  ],
  [
    'an address with another port',
    toChange(`${SERVICES}/llm-gateway.yaml`, 'dns:///ledger:50051', 'dns:///ledger:50052'),
    /which no Service serves/,
  ],
  [
    'a Service that is not headless',
    toChange(LEDGER, 'clusterIP: None', 'type: ClusterIP'),
    /LEDGER_ADDRESS is dns:\/\/\/ledger:50051, which no Service serves/,
  ],
  [
    'a key that the ConfigMap lacks',
    toChange(BASE, '- METERING=unmetered', '- METER=unmetered'),
    /METERING comes from ConfigMap settings-\w+ METERING, not there/,
  ],
  [
    'a secret that is not provided',
    toChange(LEDGER, 'key: database-url', 'key: url'),
    /DATABASE_URL comes from Secret ledger url, not there/,
  ],
  [
    'a mount without a volume',
    toChange(POD, 'name: key, mountPath', 'name: keys, mountPath'),
    /not one of its volumes/,
  ],
  [
    'a file that is not mounted there',
    toChange(POD, '/run/witan/key/service-key.pem', '/run/witan/keys/service-key.pem'),
    /WITAN_SERVICE_KEY_FILE is .*not there/,
  ],
  [
    'a missing service account',
    toChange(LEDGER, 'serviceAccountName: ledger', 'serviceAccountName: books'),
    /ServiceAccount books, not there/,
  ],
  [
    'an autoscaler without a target',
    toChange(LEDGER, 'kind: Deployment, name: ledger', 'kind: Deployment, name: books'),
    /scales Deployment books, not there/,
  ],
  [
    'two autoscalers of one service',
    toChange(
      `${KEDA}/notifier-scaler.yaml`,
      'scaleTargetRef: { name: notifier }',
      'scaleTargetRef: { name: agents }',
    ),
    /Deployment agents has two autoscalers/,
  ],
  [
    'fixed replicas beside an autoscaler',
    toChange(POD, 'revisionHistoryLimit: 5', 'replicas: 2'),
    /sets replicas/,
  ],
  [
    'a variable that is not read',
    toChange(POD, 'name: LOG_LEVEL\n', 'name: LOGGING_LEVEL\n'),
    /sets LOGGING_LEVEL, which none of its containers reads/,
  ],
  [
    'a required variable that is missing',
    toChange(
      `${SERVICES}/llm-gateway.yaml`,
      '{ name: LEDGER_ADDRESS, value: dns:///ledger:50051 }',
      '{ name: NODE_OPTIONS, value: x }',
    ),
    /would not start: LEDGER_ADDRESS is required/,
  ],
  [
    'a value that the service refuses',
    toChange(BASE, 'WITAN_DRAIN_MS=840000', 'WITAN_DRAIN_MS=14m'),
    /would not start: WITAN_DRAIN_MS must be a whole number/,
  ],
  [
    'a variable that is neither set nor documented',
    toChange(GUIDE, '`WITAN_PROVIDER_IDLE_TIMEOUT_MS`', 'the other'),
    /reads WITAN_PROVIDER_IDLE_TIMEOUT_MS: set it/,
  ],
  [
    'a variable of a Job that its command does not read',
    toChange(JOBS, 'args: [migrate, ledger]', 'args: [topology, apply]'),
    /Job migrate-ledger sets DATABASE_URL, which topology does not read/,
  ],
  [
    'a call that the call graph does not allow',
    toChange(
      POLICIES,
      'app.kubernetes.io/name: simulation\n',
      'app.kubernetes.io/name: notifier\n',
    ),
    /is not what deploy\/call-graph.json makes of it/,
  ],
  [
    'a missing policy of the call graph',
    toChange(POLICIES, 'name: default-deny', 'name: deny'),
    /NetworkPolicy default-deny is missing/,
  ],
  [
    'a policy that opens everything',
    toChange(STORES, 'port: 4222', 'port: 22'),
    /port 22, of no known server/,
  ],
  [
    'a service without access to the database',
    toChange(STORES, '[ledger, llm-gateway,', '[llm-gateway,'),
    /Deployment ledger cannot reach Postgres/,
  ],
  [
    'access to the broker for a service without its URL',
    toChange(STORES, '[notifier, agents,', '[notifier, ledger, agents,'),
    /Deployment ledger may reach the broker/,
  ],
  [
    'a store that refuses its clients',
    toChange(
      `${K8S}/overlays/dev/data-stores.yaml`,
      'values: [service, release-job]',
      'values: [release-job]',
    ),
    /StatefulSet postgres does not let Deployment ledger in/,
  ],
  [
    'a pod that may run as root',
    toChange(POD, 'runAsNonRoot: true', 'runAsNonRoot: false'),
    /may run as root/,
  ],
  [
    'a writable root file system',
    toChange(POD, 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false'),
    /may write to its image/,
  ],
  [
    'a pod that keeps capabilities',
    toChange(POD, 'drop: [ALL]', 'drop: [NET_RAW]'),
    /keeps capabilities/,
  ],
  [
    'a Job without the seccomp profile',
    toChange(JOB_POD, 'type: RuntimeDefault', 'type: Unconfined'),
    /Job topology: has no seccomp profile/,
  ],
  [
    'no memory limit',
    toChange(LEDGER, 'limits: { memory:', 'limits: { cpu:'),
    /no limit of memory/,
  ],
  [
    'CPU requests that exceed a small node',
    toChange(`${K8S}/overlays/dev/kustomization.yaml`, 'cpu: 20m', 'cpu: 200m'),
    /dev: The pods request 2950m of CPU; a small node has 1000m/,
  ],
  [
    'a liveness probe that depends on the database',
    toChange(
      POD,
      'httpGet: { path: /livez, port: admin }\n            periodSeconds: 10',
      'httpGet: { path: /readyz, port: admin }\n            periodSeconds: 10',
    ),
    /is not killed by \/livez alone/,
  ],
  ['a slow kill', toChange(POD, 'terminationGracePeriodSeconds: 30', ''), /is killed by a probe/],
  [
    'a startup probe that is shorter than the wait for the database',
    toChange(POD, 'failureThreshold: 90', 'failureThreshold: 80'),
    /is killed while it waits 150000 ms for its database/,
  ],
  ['no timeout', toChange(`${K8S}/overlays/dev/nats.yaml`, 'timeoutSeconds: 5', ''), /no timeout/],
  [
    'a gRPC probe of a server with client certificates',
    toChange(`${K8S}/components/tls/pod.yaml`, '            grpc: null\n', ''),
    /kubelet shows no certificate|has not one readiness probe/,
  ],
  [
    'a grace period that is too short for running calls',
    toChange(POD, 'terminationGracePeriodSeconds: 930', 'terminationGracePeriodSeconds: 600'),
    /has 600000 ms to end, and needs/,
  ],
  [
    'a drain that is shorter than the longest call',
    toChange(BASE, 'WITAN_DRAIN_MS=840000', 'WITAN_DRAIN_MS=600000'),
    /waits 600000 ms for calls; the longest takes 825000/,
  ],
  [
    'an export that takes longer than a drain',
    toChange(EDGE_EXPORT, 'EXPORT_TIMEOUT_MS = 825_000', 'EXPORT_TIMEOUT_MS = 900_000'),
    /waits 840000 ms for calls; the longest takes 900000/,
  ],
  [
    'no pause before shutdown',
    toChange(API_GATEWAY, 'sleep: { seconds: 15 }', 'sleep: { seconds: 0 }'),
    /stops before it has been taken out of the way/,
  ],
  [
    'a shutdown before DNS returns the address of the new pod',
    toChange(LEDGER, 'sleep: { seconds: 45 }', 'sleep: { seconds: 35 }'),
    /Deployment ledger stops after 35000 ms; DNS may return its address for longer/,
  ],
  [
    'a rollout that is faster than DNS',
    toChange(POD, 'minReadySeconds: 35', 'minReadySeconds: 10'),
    /Deployment ledger replaces a pod after 10000 ms; DNS may not return the new one yet/,
  ],
  [
    'an image with the tag latest',
    toChange(PROD, 'ledger, newTag: 0.1.0', 'ledger, newTag: latest'),
    /not pinned/,
  ],
  [
    'an image of another release',
    toChange(PROD, 'ledger, newTag: 0.1.0', 'ledger, newTag: 0.0.9'),
    /0\.0\.9/,
  ],
  [
    'a password in a URL',
    toChange(
      POD,
      'value: /run/witan/public-keys/keys.json',
      'value: nats://user:password@nats:4222',
    ),
    /contains a secret/,
  ],
  [
    'a Secret',
    toChange(`${K8S}/base/namespace.yaml`, 'kind: Namespace', 'kind: Secret'),
    /Secret witan is in the manifests/,
  ],
  [
    'a service without a migration',
    toChange(JOBS, '[migrate, ledger]', '[migrate, agents]'),
    /migrates ledger/,
  ],
  [
    'a namespace without pod security',
    toChange(`${K8S}/base/namespace.yaml`, 'enforce: restricted', 'enforce: baseline'),
    /takes pods that are not restricted/,
  ],
  [
    'an anchor file of the log on no volume',
    toChange(`${TRANSPARENCY_LOG}/ledger.yaml`, '/run/witan/anchor/checkpoint', '/tmp/checkpoint'),
    /WITAN_LOG_ANCHOR_FILE is \/tmp\/checkpoint, not there/,
  ],
  [
    'an anchor file of the log that cannot be written',
    toChange(
      `${TRANSPARENCY_LOG}/ledger.yaml`,
      'mountPath: /run/witan/anchor',
      'mountPath: /run/witan/anchor, readOnly: true',
    ),
    /WITAN_LOG_ANCHOR_FILE is .*, not there/,
  ],
  [
    'a log with a key and without a name',
    toChange(`${TRANSPARENCY_LOG}/ledger.yaml`, 'name: WITAN_LOG_ORIGIN', 'name: WITAN_LOG_NAME'),
    /would not start: WITAN_LOG_ORIGIN and WITAN_LOG_KEY_FILE are set together/,
  ],
  [
    'a provided secret that is not used',
    toChange(
      `${K8S}/provided.json`,
      '"password": "password of the broker',
      '"user": "of the broker',
    ),
    /asks for nats user, which no overlay uses/,
  ],
  [
    'a provided key that is not documented',
    toChange(GUIDE, '`signing-key.pem`', 'a key'),
    /`signing-key.pem` is/,
  ],
];

describe('the manifests', () => {
  it('have no findings', () => {
    expect(checkManifests(FILES, READERS)).toEqual([]);
  });

  it.each(MUTATIONS)('reports %s', (_what, change, finding) => {
    expect(checkManifests(mutate(change), READERS)).toEqual(
      expect.arrayContaining([expect.stringMatching(finding)]),
    );
  });
});

describe('findReadVariables', () => {
  it('includes variables that are read only if others are set', () => {
    const names = findReadVariables(READERS['llm-gateway']!);
    expect([...names]).toEqual(expect.arrayContaining(['DATABASE_URL', 'LOCAL_MODEL']));
    expect(names.has('NATS_URL')).toBe(false);
  });

  it('rethrows errors of the loader that are not ConfigErrors', () => {
    const changedFiles = () => {
      throw new TypeError('broken');
    };
    expect(() => findReadVariables(changedFiles)).toThrow(TypeError);
  });
});
