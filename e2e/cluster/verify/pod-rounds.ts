import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { awaitCondition } from '../await-condition.ts';
import type { Round, RoundOutcome } from '../../faults/run-part.ts';
import { NAMESPACE } from '../install/installation.ts';
import { applyText, getObjects, kubectl } from '../kubectl.ts';
import { findPodViolations, REPORT_PROGRAM } from './judge-pod.ts';
import type { PodReport } from './judge-pod.ts';
import {
  awaitSettled,
  choosePods,
  isReady,
  listServicePods,
  restartsOf,
  serviceOf,
} from './pods.ts';
import type { Pod } from './pods.ts';

const UNREADY_TIMEOUT_MS = 120_000;
/** Six failed liveness probes, one each 10 s with a timeout of 5 s, and the time to start. */
const RESTART_TIMEOUT_MS = 300_000;
const MEBIBYTE = 2 ** 20;

/** Rounds that check probes, restrictions and limits of the pods of an installation. */
export const POD_ROUNDS: readonly Round[] = [
  { name: 'pods: restrictions and limits', run: () => checkRestrictions() },
  { name: 'pods: a memory limit ends a process that exceeds it', run: () => checkMemoryLimit() },
];

export const FREEZE_ROUND: Round = {
  name: 'pods: a frozen service is restarted by its liveness probe',
  run: () => freezeService(),
};

const checkRestrictions = async (): Promise<RoundOutcome> => {
  const pods = await choosePods();
  const violations: string[] = [];
  for (const pod of pods) {
    const exec = ['-n', NAMESPACE, 'exec', pod.metadata.name, '-c', 'service', '--'];
    const output = await kubectl([...exec, 'node', '-e', REPORT_PROGRAM]);
    const memory = pod.spec.containers[0]!.resources.limits.memory;
    const found = findPodViolations(JSON.parse(output) as PodReport, {
      memoryLimitBytes: toBytes(memory),
    });
    violations.push(...found.map((one) => `${serviceOf(pod)}: ${one}`));
  }
  if (pods.length !== SERVICE_COUNT) violations.push(`${pods.length} services have pods`);
  return { figures: { services: pods.length }, violations };
};

const SERVICE_COUNT = 6;

/** Parses the units of the manifests: `512Mi`, `1Gi`. */
const toBytes = (quantity: string): number => {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  if (number === undefined) throw new Error(`A memory limit of ${quantity} is not expected.`);
  return Number(number) * (unit === 'Gi' ? 1024 * MEBIBYTE : MEBIBYTE);
};

const HUNGRY_PROGRAM = 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 20, 1));';

const HUNGRY_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'hungry', namespace: NAMESPACE },
  spec: {
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'hungry',
        image: 'witan/ledger:0.1.0',
        command: ['node', '-e', HUNGRY_PROGRAM],
        resources: { limits: { memory: '128Mi' }, requests: { cpu: '10m' } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
};

const checkMemoryLimit = async (): Promise<RoundOutcome> => {
  const pod = ['-n', NAMESPACE, 'pod', HUNGRY_POD.metadata.name];
  const read = (): Promise<Pod> => getObjects<Pod>(pod);
  try {
    await applyText(JSON.stringify(HUNGRY_POD));
    await awaitCondition('the hungry pod has ended', UNREADY_TIMEOUT_MS, async () =>
      ['Failed', 'Succeeded'].includes((await read()).status.phase),
    );
    const { status } = await read();
    const reason = status.containerStatuses?.[0]?.state?.terminated?.reason ?? 'none';
    const violations = reason === 'OOMKilled' ? [] : [`ended by ${reason}`];
    return { figures: { reason }, violations };
  } finally {
    await kubectl(['delete', ...pod, '--ignore-not-found', '--grace-period=0', '--force']);
  }
};

/** SIGSTOP stops the process, not its container: only probes notice. */
const freezeService = async (): Promise<RoundOutcome> => {
  const pod = (await choosePods()).find((one) => serviceOf(one) === 'notifier')!;
  const startedAt = Date.now();
  for (const pid of await findProcesses(pod)) process.kill(pid, 'SIGSTOP');
  const find = async (): Promise<Pod | undefined> =>
    (await listServicePods()).find(({ metadata }) => metadata.uid === pod.metadata.uid);
  await awaitCondition('the frozen pod is unready', UNREADY_TIMEOUT_MS, async () => {
    const found = await find();
    return found !== undefined && !isReady(found);
  });
  const unreadyMs = Date.now() - startedAt;
  await awaitCondition('the frozen pod has restarted', RESTART_TIMEOUT_MS, async () => {
    const found = await find();
    return found !== undefined && restartsOf(found) > restartsOf(pod) && isReady(found);
  });
  await awaitSettled();
  return { figures: { unreadyMs, restartedMs: Date.now() - startedAt }, violations: [] };
};

/** Returns this machine's ids of the processes of a pod's container. */
const findProcesses = async ({ status }: Pod): Promise<number[]> => {
  const id = status.containerStatuses![0]!.containerID!.split('//')[1]!;
  for (const root of ['/sys/fs/cgroup/memory/witan-cluster', '/sys/fs/cgroup/witan-cluster']) {
    const folders = await readdir(root, { recursive: true }).catch(() => []);
    const folder = folders.find((path) => path.endsWith(`/${id}`));
    if (folder === undefined) continue;
    const pids = await readFile(join(root, folder, 'cgroup.procs'), 'utf8');
    return pids.trim().split('\n').map(Number);
  }
  throw new Error(`There is no cgroup of the container ${id}.`);
};
