import { readFile } from 'node:fs/promises';
import { awaitCondition } from '../await-condition.ts';
import type { RoundOutcome } from '../../faults/run-part.ts';
import { NAMESPACE } from '../install/installation.ts';
import type { Installation } from '../install/installation.ts';
import { applyText, awaitRollouts, getObjects, kubectl } from '../kubectl.ts';
import { runUnderTraffic } from './disturbance-rounds.ts';

type Autoscaler = {
  metadata: { name: string };
  spec: { minReplicas: number; maxReplicas: number };
  status: {
    currentReplicas?: number;
    desiredReplicas?: number;
    conditions?: { type: string; status: string; reason: string }[];
  };
};

/** The autoscalers' own maximum would fill a small machine with pods. */
const REPLICAS_MAX = 3;
const METRICS_TIMEOUT_MS = 300_000;
const GROWTH_TIMEOUT_MS = 600_000;

const listAutoscalers = async (): Promise<Autoscaler[]> =>
  (await getObjects<{ items: Autoscaler[] }>(['-n', NAMESPACE, 'hpa'])).items;

const isActive = ({ status }: Autoscaler): boolean =>
  status.conditions?.some((one) => one.type === 'ScalingActive' && one.status === 'True') ?? false;

/**
 * Returns a violation for each autoscaler that has not raised its Deployment, which the manifests
 * leave at one replica, to its minimum.
 */
export const checkMinimum = async (): Promise<RoundOutcome> => {
  const autoscalers = await listAutoscalers();
  const low = autoscalers.filter(
    ({ spec, status }) => (status.currentReplicas ?? 0) < spec.minReplicas || spec.minReplicas < 2,
  );
  const violations = low.map(
    ({ metadata, status }) => `${metadata.name}: ${status.currentReplicas}`,
  );
  if (autoscalers.length === 0) violations.push('there is no autoscaler');
  return { figures: { autoscalers: autoscalers.length }, violations };
};

/**
 * Installs metrics-server, after which every autoscaler has metrics and at least one adds a replica
 * under traffic. Limits them to 3 replicas.
 */
export const growUnderTraffic = async (installation: Installation): Promise<RoundOutcome> => {
  for (const { metadata } of await listAutoscalers()) {
    const patch = JSON.stringify({ spec: { maxReplicas: REPLICAS_MAX } });
    await kubectl(['-n', NAMESPACE, 'patch', 'hpa', metadata.name, '-p', patch]);
  }
  try {
    await applyText(await readFile(new URL('./metrics-server.yaml', import.meta.url), 'utf8'));
    await awaitRollouts('kube-system', METRICS_TIMEOUT_MS);
    return await runUnderTraffic(installation, growOnce);
  } finally {
    await removeMetrics();
  }
};

const growOnce = async (): Promise<RoundOutcome> => {
  const areActive = async (): Promise<boolean> => (await listAutoscalers()).every(isActive);
  await awaitCondition('all autoscalers have metrics', METRICS_TIMEOUT_MS, areActive);
  const hasGrown = async (): Promise<boolean> => (await listGrown()).length > 0;
  await awaitCondition('an autoscaler adds a replica', GROWTH_TIMEOUT_MS, hasGrown);
  return { figures: { grown: await listGrown() }, violations: [] };
};

const listGrown = async (): Promise<string[]> =>
  (await listAutoscalers())
    .filter(({ spec, status }) => (status.desiredReplicas ?? 0) > spec.minReplicas)
    .map(({ metadata, status }) => `${metadata.name} ${status.desiredReplicas}`);

const removeMetrics = async (): Promise<void> => {
  const remove = ['delete', '--ignore-not-found'];
  await kubectl([...remove, 'apiservice', 'v1beta1.metrics.k8s.io']);
  await kubectl([...remove, '-n', 'kube-system', 'deployment/metrics-server']);
};
