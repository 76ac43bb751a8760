import { DATABASE_WAIT_MS } from '@witan/service-kit';
import { at, isObject, listAt, objectAt, textAt } from '../manifest.ts';
import type { JsonObject } from '../manifest.ts';
import { findService } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';
import { PROBES } from './check-ports.ts';

/** Checks the security settings, resources, probes and topology spread of pods. */
export const checkPods = (rendered: Rendered, services: readonly string[]): string[] => [
  ...rendered.workloads.flatMap((workload) => [
    ...listAt(workload.pod, 'initContainers').map(() => `${workload.title} has init containers.`),
    ...checkPod(workload),
    ...workload.containers.flatMap((container) => [
      ...checkSecurity(workload, container),
      ...checkResources(workload, container),
      ...checkProbeTimeouts(workload, container),
    ]),
  ]),
  ...services.flatMap((service) => {
    const workload = findService(rendered, service);
    return workload ? [...checkProbes(workload), ...checkSpread(workload)] : [];
  }),
];

type Requirement = readonly [isMet: boolean, finding: string];

const findUnmet = (title: string, requirements: readonly Requirement[]): string[] =>
  requirements.filter(([isMet]) => !isMet).map(([, finding]) => `${title}: ${finding}.`);

const FORBIDDEN = ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers'];

const checkPod = ({ title, pod }: Workload): string[] => {
  const security = objectAt(pod, 'securityContext');
  return findUnmet(title, [
    [security.runAsNonRoot === true, 'may run as root'],
    [Number(security.runAsUser) > 0, 'names no user other than root'],
    [textAt(security, 'seccompProfile', 'type') === 'RuntimeDefault', 'has no seccomp profile'],
    [pod.automountServiceAccountToken === false, "mounts its account's token"],
    [pod.enableServiceLinks === false, 'gets variables of other Services'],
    [FORBIDDEN.every((field) => pod[field] === undefined), "shares the node's namespaces"],
    [listAt(pod, 'volumes').every((volume) => !volume.hostPath), 'mounts a folder of the node'],
  ]);
};

const checkSecurity = ({ title }: Workload, container: JsonObject): string[] => {
  const security = objectAt(container, 'securityContext');
  const droppedCapabilities = at(security, 'capabilities', 'drop');
  return findUnmet(title, [
    [security.allowPrivilegeEscalation === false, 'may gain privileges'],
    [security.readOnlyRootFilesystem === true, 'may write to its image'],
    [
      Array.isArray(droppedCapabilities) && droppedCapabilities.includes('ALL'),
      'keeps capabilities',
    ],
    [at(security, 'capabilities', 'add') === undefined, 'adds capabilities'],
    [security.privileged === undefined, 'sets `privileged`'],
    [security.runAsUser === undefined && security.runAsNonRoot === undefined, 'has its own user'],
    [
      listAt(container, 'ports').every(({ hostPort }) => hostPort === undefined),
      "takes a port of the node's",
    ],
  ]);
};

/**
 * Checks that CPU and memory are requested, and that memory has a limit and CPU has none, because
 * throttling would delay running calls.
 */
const checkResources = ({ title }: Workload, container: JsonObject): string[] => {
  const { cpu, memory } = objectAt(container, 'resources', 'requests');
  const limits = objectAt(container, 'resources', 'limits');
  return findUnmet(title, [
    [typeof cpu === 'string', 'asks for no processor time'],
    [typeof memory === 'string', 'asks for no memory'],
    [typeof limits.memory === 'string', 'has no limit of memory'],
    [limits.cpu === undefined, 'has a limit of processor time'],
    [toMebibytes(memory) <= toMebibytes(limits.memory), 'asks for more memory than it may have'],
  ]);
};

/**
 * Checks that every probe has a timeout. The default of one second is less than a busy node needs
 * to start the program of an `exec` probe, and a data store that is not ready has no address.
 */
const checkProbeTimeouts = ({ title }: Workload, container: JsonObject): string[] =>
  PROBES.filter((probe) => isObject(container[probe]))
    .filter((probe) => at(container, probe, 'timeoutSeconds') === undefined)
    .map((probe) => `${title}: its ${probe} has no timeout.`);

const UNITS: Readonly<Record<string, number>> = { Ki: 1 / 1024, Mi: 1, Gi: 1024 };

const toMebibytes = (quantity: unknown): number => {
  const [, digits, unit = ''] = /^(\d+)([KMG]i)$/.exec(String(quantity)) ?? [];
  return Number(digits) * (UNITS[unit] ?? Number.NaN);
};

/** Time for a service to load, before it waits for its database, and to log why it failed. */
const START_MARGIN_MS = 20_000;
const SECOND_MS = 1_000;

/** Maximum time between the decision of a probe to restart a service and its end. */
const KILL_SECONDS_MAX = 60;

const startupMs = (container: JsonObject | undefined): number => {
  const { periodSeconds, failureThreshold } = objectAt(container, 'startupProbe');
  return Number(periodSeconds) * Number(failureThreshold) * SECOND_MS;
};

const checkProbes = ({ title, containers }: Workload): string[] => {
  const [container] = containers;
  const path = (probe: string): string => textAt(container, probe, 'httpGet', 'path');
  const readiness = objectAt(container, 'readinessProbe');
  const actions = ['httpGet', 'grpc', 'tcpSocket', 'exec'].filter((one) => one in readiness);
  const hasReadinessProbe = path('readinessProbe') === '/readyz' || isObject(readiness.grpc);
  const hasTls = listAt(container, 'env').some(({ name }) => name === 'WITAN_TLS_CERT_FILE');
  return findUnmet(title, [
    [path('startupProbe') === '/livez', 'has no startup probe on /livez'],
    [
      startupMs(container) >= DATABASE_WAIT_MS + START_MARGIN_MS,
      `is killed while it waits ${DATABASE_WAIT_MS} ms for its database`,
    ],
    [path('livenessProbe') === '/livez', 'is not killed by /livez alone'],
    [
      ['startupProbe', 'livenessProbe'].every(
        (probe) =>
          Number(at(container, probe, 'terminationGracePeriodSeconds')) <= KILL_SECONDS_MAX,
      ),
      'is killed by a probe only after the time for running calls',
    ],
    [hasReadinessProbe && actions.length === 1, 'has not one readiness probe of its health'],
    [!(hasTls && readiness.grpc), 'has a gRPC probe, and kubelet shows no certificate'],
  ]);
};

const SPREAD_TOPOLOGY_KEYS = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'];

const checkSpread = ({ title, pod }: Workload): string[] => {
  const keys = listAt(pod, 'topologySpreadConstraints').map(({ topologyKey }) => topologyKey);
  return SPREAD_TOPOLOGY_KEYS.filter((key) => !keys.includes(key)).map(
    (key) => `${title}: is not spread over ${key}.`,
  );
};
