import { awaitCondition } from '../await-condition.ts';
import { NAMESPACE } from '../install/installation.ts';
import { getObjects } from '../kubectl.ts';

export type Pod = {
  metadata: {
    name: string;
    uid: string;
    namespace: string;
    deletionTimestamp?: string;
    labels: Record<string, string>;
  };
  spec: {
    nodeName?: string;
    containers: { name: string; resources: { limits: { memory: string } } }[];
  };
  status: {
    phase: string;
    reason?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: {
      name: string;
      restartCount: number;
      containerID?: string;
      state?: { terminated?: { reason: string } };
    }[];
  };
};

const SERVICE_PODS = ['-n', NAMESPACE, 'pods', '-l', 'app.kubernetes.io/component=service'];
const SETTLE_TIMEOUT_MS = 900_000;

export const serviceOf = ({ metadata }: Pod): string => metadata.labels['app.kubernetes.io/name']!;

export const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ??
  false;

export const restartsOf = ({ status }: Pod): number =>
  (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

/** Returns the pods of all services, also those that are terminating. */
export const listServicePods = async (): Promise<readonly Pod[]> =>
  (await getObjects<{ items: Pod[] }>(SERVICE_PODS)).items;

type Deployment = {
  metadata: { name: string; generation: number };
  spec: { replicas: number };
  status: {
    observedGeneration?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    replicas?: number;
  };
};

const isRolledOut = ({ metadata, spec, status }: Deployment): boolean =>
  status.observedGeneration === metadata.generation &&
  [status.updatedReplicas, status.availableReplicas, status.replicas].every(
    (count) => count === spec.replicas,
  );

/**
 * Resolves when every Deployment is rolled out and available, and no pod of a service is
 * terminating or unready.
 */
export const awaitSettled = async (): Promise<void> => {
  await awaitCondition('all services are settled', SETTLE_TIMEOUT_MS, async () => {
    const deployments = await getObjects<{ items: Deployment[] }>(['deployments', '-n', NAMESPACE]);
    const pods = await listServicePods();
    return (
      deployments.items.every(isRolledOut) &&
      pods.every((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod))
    );
  });
};

/** Returns one pod of each service that is not terminating. */
export const choosePods = async (): Promise<Pod[]> => {
  const alive = (await listServicePods()).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  return [...Map.groupBy(alive, serviceOf).values()].map(([first]) => first!);
};
