import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { checkManifests } from '../src/check-manifests.ts';
import { EDGE_EXPORT, readFiles } from '../src/files.ts';
import { READERS } from '../src/readers.ts';
import { namesRead } from '../src/rules/check-environment.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FILES = readFiles(ROOT, Object.keys(READERS));
const K8S = 'deploy/k8s';
const POD = `${K8S}/base/pod.yaml`;
const SERVICES = `${K8S}/base/services`;
const LEDGER = `${SERVICES}/ledger.yaml`;
const EDGE = `${SERVICES}/api-gateway.yaml`;
const BASE = `${K8S}/base/kustomization.yaml`;
const POLICIES = `${K8S}/base/network-policies.yaml`;
const JOBS = `${K8S}/base/jobs.yaml`;
const JOB_POD = `${K8S}/components/job-pod/job-pod.yaml`;
const PROD = `${K8S}/overlays/prod/kustomization.yaml`;
const STORES = `${K8S}/overlays/prod/data-stores.yaml`;
const KEDA = `${K8S}/components/keda`;
const GUIDE = 'docs/kubernetes.md';

type Mutation = readonly [
  what: string,
  change: { path: string; from: string; to: string },
  finding: RegExp,
];

const of = (path: string, from: string, to: string) => ({ path, from, to });

const MUTATIONS: readonly Mutation[] = [
  [
    'an unknown field',
    of(POD, 'enableServiceLinks: false', 'enableServiceLinks: false\n      enableLinks: true'),
    /additional properties enableLinks/,
  ],
  ['a field of the wrong type', of(POD, 'minReadySeconds: 10', 'minReadySeconds: soon'), /integer/],
  [
    'an unknown word',
    of(POD, 'type: RollingUpdate', 'type: Rolling'),
    /DeploymentStrategy|allowed/,
  ],
  ['a size that is none', of(LEDGER, 'memory: 256Mi', 'memory: 256MB'), /pattern/],
  ['a kind that is old', of(LEDGER, 'policy/v1', 'policy/v1beta1'), /has no schema/],
  [
    'a field twice',
    of(POD, 'minReadySeconds: 10', 'minReadySeconds: 10\n  minReadySeconds: 5'),
    /unique/,
  ],
  [
    'a feature of kustomize that is not composed',
    of(PROD, 'namespace: witan', 'namespace: witan\nnamePrefix: my-'),
    /namePrefix/,
  ],
  [
    'a patch of nobody',
    of(`${K8S}/overlays/dev/topology.yaml`, 'name: topology', 'name: topologies'),
    /Job topologies, which is not there/,
  ],
  [
    'pods that their Deployment does not select',
    of(LEDGER, 'labels: { app.kubernetes.io/name: ledger }', 'labels: { app: ledger }'),
    /does not select its own pods/,
  ],
  [
    'a Service of nobody',
    of(LEDGER, 'selector: { app.kubernetes.io/name: ledger }', 'selector: { app: ledger }'),
    /Service ledger selects no pods/,
  ],
  [
    'a budget of somebody else',
    of(
      LEDGER,
      'AlwaysAllow\n  selector: { matchLabels: { app.kubernetes.io/name: ledger } }',
      'AlwaysAllow\n  selector: { matchLabels: { app.kubernetes.io/part-of: witan } }',
    ),
    /PodDisruptionBudget ledger selects/,
  ],
  [
    'a spread by labels of others',
    of(
      POD,
      'labelSelector: { matchLabels: { app.kubernetes.io/component: service } }',
      'labelSelector: { matchLabels: { app: any } }',
    ),
    /by labels of others/,
  ],
  ["a Service's port that is none", of(LEDGER, 'targetPort: grpc', 'targetPort: rpc'), /port rpc/],
  [
    'a probe of no port',
    of(POD, 'path: /livez, port: admin', 'path: /livez, port: adm'),
    /port adm/,
  ],
  [
    'an address with another port',
    of(`${SERVICES}/llm-gateway.yaml`, 'dns:///ledger:50051', 'dns:///ledger:50052'),
    /served by nobody/,
  ],
  [
    'a Service that hides its replicas',
    of(LEDGER, 'clusterIP: None', 'type: ClusterIP'),
    /LEDGER_ADDRESS is dns:\/\/\/ledger:50051, served by nobody/,
  ],
  [
    'a key that the ConfigMap has not',
    of(BASE, '- METERING=unmetered', '- METER=unmetered'),
    /METERING comes from ConfigMap settings-\w+ METERING, not there/,
  ],
  [
    'a secret that nobody brings',
    of(LEDGER, 'key: database-url', 'key: url'),
    /DATABASE_URL comes from Secret ledger url, not there/,
  ],
  [
    'a mount of no volume',
    of(POD, 'name: key, mountPath', 'name: keys, mountPath'),
    /no volume of it/,
  ],
  [
    'a file that is not mounted there',
    of(POD, '/run/witan/key/service-key.pem', '/run/witan/keys/service-key.pem'),
    /WITAN_SERVICE_KEY_FILE is .*not there/,
  ],
  [
    'an account that is not there',
    of(LEDGER, 'serviceAccountName: ledger', 'serviceAccountName: books'),
    /ServiceAccount books, not there/,
  ],
  [
    'an autoscaler of nobody',
    of(LEDGER, 'kind: Deployment, name: ledger', 'kind: Deployment, name: books'),
    /scales Deployment books, not there/,
  ],
  [
    'two autoscalers of one service',
    of(
      `${KEDA}/notifier-scaler.yaml`,
      'scaleTargetRef: { name: notifier }',
      'scaleTargetRef: { name: agents }',
    ),
    /Deployment agents has two autoscalers/,
  ],
  [
    'replicas that an autoscaler decides',
    of(POD, 'revisionHistoryLimit: 5', 'replicas: 2'),
    /sets replicas/,
  ],
  [
    'a variable that nobody reads',
    of(POD, 'name: LOG_LEVEL\n', 'name: LOGGING_LEVEL\n'),
    /sets LOGGING_LEVEL, which nobody there reads/,
  ],
  [
    'a required variable that is missing',
    of(
      `${SERVICES}/llm-gateway.yaml`,
      '{ name: LEDGER_ADDRESS, value: dns:///ledger:50051 }',
      '{ name: NODE_OPTIONS, value: x }',
    ),
    /would not start: LEDGER_ADDRESS is required/,
  ],
  [
    'a value that the service refuses',
    of(BASE, 'WITAN_DRAIN_MS=840000', 'WITAN_DRAIN_MS=14m'),
    /would not start: WITAN_DRAIN_MS must be a whole number/,
  ],
  [
    'a variable that is neither set nor documented',
    of(GUIDE, '`WITAN_PROVIDER_IDLE_TIMEOUT_MS`', 'the other'),
    /reads WITAN_PROVIDER_IDLE_TIMEOUT_MS: set it/,
  ],
  [
    'a variable of a Job that its command does not read',
    of(JOBS, 'args: [migrate, ledger]', 'args: [topology, apply]'),
    /Job migrate-ledger sets DATABASE_URL, which topology does not read/,
  ],
  [
    'a call that the call graph does not allow',
    of(POLICIES, 'app.kubernetes.io/name: simulation\n', 'app.kubernetes.io/name: notifier\n'),
    /is not what deploy\/call-graph.json makes of it/,
  ],
  [
    'a policy of the call graph that is gone',
    of(POLICIES, 'name: default-deny', 'name: deny'),
    /NetworkPolicy default-deny is missing/,
  ],
  ['a policy that opens everything', of(STORES, 'port: 4222', 'port: 22'), /port 22, of no store/],
  [
    'a service without its way to the database',
    of(STORES, '[ledger, llm-gateway,', '[llm-gateway,'),
    /Deployment ledger cannot reach Postgres/,
  ],
  [
    'a way to the broker for who has no business there',
    of(STORES, '[notifier, agents,', '[notifier, ledger, agents,'),
    /Deployment ledger may reach the broker/,
  ],
  [
    'a store that lets its clients not in',
    of(
      `${K8S}/overlays/dev/data-stores.yaml`,
      'values: [service, release-job]',
      'values: [release-job]',
    ),
    /StatefulSet postgres does not let Deployment ledger in/,
  ],
  [
    'a pod that may be root',
    of(POD, 'runAsNonRoot: true', 'runAsNonRoot: false'),
    /may run as root/,
  ],
  [
    'a root file system that can be written',
    of(POD, 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false'),
    /may write to its image/,
  ],
  ['capabilities', of(POD, 'drop: [ALL]', 'drop: [NET_RAW]'), /keeps capabilities/],
  [
    'a Job without the seccomp profile',
    of(JOB_POD, 'type: RuntimeDefault', 'type: Unconfined'),
    /Job topology: has no seccomp profile/,
  ],
  ['no limit of memory', of(LEDGER, 'limits: { memory:', 'limits: { cpu:'), /no limit of memory/],
  [
    'a probe of life that follows the database',
    of(
      POD,
      'httpGet: { path: /livez, port: admin }\n            periodSeconds: 10',
      'httpGet: { path: /readyz, port: admin }\n            periodSeconds: 10',
    ),
    /is not killed by \/livez alone/,
  ],
  [
    'a gRPC probe of a server that asks for certificates',
    of(`${K8S}/components/tls/pod.yaml`, '            grpc: null\n', ''),
    /kubelet shows no certificate|has not one readiness probe/,
  ],
  [
    'a grace period that cuts calls',
    of(POD, 'terminationGracePeriodSeconds: 900', 'terminationGracePeriodSeconds: 600'),
    /has 600000 ms to end, and needs/,
  ],
  [
    'a drain that is shorter than the longest call',
    of(BASE, 'WITAN_DRAIN_MS=840000', 'WITAN_DRAIN_MS=600000'),
    /waits 600000 ms for calls; the longest takes 825000/,
  ],
  [
    'an export that takes longer than a drain',
    of(EDGE_EXPORT, 'EXPORT_TIMEOUT_MS = 825_000', 'EXPORT_TIMEOUT_MS = 900_000'),
    /waits 840000 ms for calls; the longest takes 900000/,
  ],
  [
    'no pause before the end',
    of(EDGE, 'sleep: { seconds: 15 }', 'sleep: { seconds: 0 }'),
    /stops before it has been taken out of the way/,
  ],
  [
    'an image of tomorrow',
    of(PROD, 'ledger, newTag: 0.1.0', 'ledger, newTag: latest'),
    /another image/,
  ],
  [
    'an image of another release',
    of(PROD, 'ledger, newTag: 0.1.0', 'ledger, newTag: 0.0.9'),
    /0\.0\.9/,
  ],
  [
    'a password in a URL',
    of(POD, 'value: /run/witan/public-keys/keys.json', 'value: nats://user:password@nats:4222'),
    /writes a secret down/,
  ],
  [
    'a Secret',
    of(`${K8S}/base/namespace.yaml`, 'kind: Namespace', 'kind: Secret'),
    /Secret witan is written down/,
  ],
  [
    'a service without a migration',
    of(JOBS, '[migrate, ledger]', '[migrate, agents]'),
    /migrates ledger/,
  ],
  [
    'a namespace that takes everything',
    of(`${K8S}/base/namespace.yaml`, 'enforce: restricted', 'enforce: baseline'),
    /takes pods that are not restricted/,
  ],
  [
    'something that is asked for and not used',
    of(`${K8S}/provided.json`, '"password": "of the broker', '"user": "of the broker'),
    /asks for nats user, which no overlay uses/,
  ],
  [
    'an asked for key without a word of it',
    of(GUIDE, '`signing-key.pem`', 'a key'),
    /`signing-key.pem` is/,
  ],
];

const mutate = ({ path, from, to }: Mutation[1]): ReadonlyMap<string, string> => {
  const text = FILES.get(path) ?? '';
  if (!text.includes(from)) throw new Error(`${path} does not say ${from}.`);
  return new Map([...FILES, [path, text.replaceAll(from, to)]]);
};

describe('the manifests', () => {
  it('have no finding', () => {
    expect(checkManifests(FILES, READERS)).toEqual([]);
  });

  it.each(MUTATIONS)('would not go through with %s', (_what, change, finding) => {
    expect(checkManifests(mutate(change), READERS)).toEqual(
      expect.arrayContaining([expect.stringMatching(finding)]),
    );
  });
});

describe('what a service reads', () => {
  it('is found although some is read only beside other things', () => {
    const names = namesRead(READERS['llm-gateway']!);
    expect([...names]).toEqual(expect.arrayContaining(['DATABASE_URL', 'LOCAL_MODEL']));
    expect(names.has('NATS_URL')).toBe(false);
  });

  it('is read as the service reads it: what goes wrong there goes wrong here', () => {
    const broken = () => {
      throw new TypeError('broken');
    };
    expect(() => namesRead(broken)).toThrow(TypeError);
  });
});
