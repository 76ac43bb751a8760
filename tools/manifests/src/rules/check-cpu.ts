import { at, objectAt, toText } from '../manifest.ts';
import type { JsonObject } from '../manifest.ts';
import { manifestsOfKind } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';

/**
 * CPU in thousandths that pods of this installation may request on a node with 2 CPUs. The rest is
 * for the cluster's own pods, which request 950 on a node of kind.
 */
const SMALL_NODE_MILLICPU = 1_000;

/**
 * Checks that all pods of an overlay without autoscalers, which is meant for one small node, fit on
 * it together.
 */
export const checkCpu = (rendered: Rendered): string[] => {
  if (manifestsOfKind(rendered, 'HorizontalPodAutoscaler').length > 0) return [];
  const total = rendered.workloads.reduce((sum, workload) => sum + requestOf(workload), 0);
  if (total <= SMALL_NODE_MILLICPU) return [];
  return [`The pods request ${total}m of CPU; a small node has ${SMALL_NODE_MILLICPU}m for them.`];
};

const requestOf = ({ manifest, containers }: Workload): number => {
  const replicas = Number(at(manifest, 'spec', 'replicas') ?? 1);
  return replicas * containers.reduce((sum, container) => sum + toMillicpu(container), 0);
};

/** Returns NaN for an unknown quantity, which the schema or `checkPods` reports. */
const toMillicpu = (container: JsonObject): number => {
  const { cpu } = objectAt(container, 'resources', 'requests');
  const [, digits, unit] = /^([\d.]+)(m?)$/.exec(toText(cpu)) ?? [];
  return Number(digits) * (unit === 'm' ? 1 : 1_000);
};
