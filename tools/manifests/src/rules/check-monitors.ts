import { at, listAt, objectAt, textAt, titleOf } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import { findService, manifestsOfKind, selects } from '../rendered.ts';
import type { Rendered } from '../rendered.ts';

const ADMIN_PORT = 'admin';
const SERVICE_LABEL = 'app.kubernetes.io/name';

/**
 * Checks that each PodMonitor scrapes `/metrics` on the admin port of all services and of nothing
 * else, and names each scrape job like its service.
 */
export const checkMonitors = (rendered: Rendered, services: readonly string[]): string[] =>
  manifestsOfKind(rendered, 'PodMonitor').flatMap((monitor) => [
    ...checkSelected(rendered, monitor, services),
    ...checkEndpoints(monitor),
    ...(at(monitor, 'spec', 'jobLabel') === SERVICE_LABEL
      ? []
      : [`${titleOf(monitor)} does not name its jobs by ${SERVICE_LABEL}.`]),
  ]);

const checkSelected = (
  rendered: Rendered,
  monitor: Manifest,
  services: readonly string[],
): string[] => {
  const selector = objectAt(monitor, 'spec', 'selector');
  const selected = rendered.workloads.filter(({ labels }) => selects(selector, labels));
  const wanted = services.map((service) => findService(rendered, service));
  return [
    ...services
      .filter((_service, index) => !selected.includes(wanted[index]!))
      .map((service) => `${titleOf(monitor)} does not select ${service}.`),
    ...selected
      .filter((workload) => !wanted.includes(workload))
      .map(({ title }) => `${titleOf(monitor)} selects ${title}, which has no metrics.`),
  ];
};

const checkEndpoints = (monitor: Manifest): string[] => {
  const endpoints = listAt(monitor, 'spec', 'podMetricsEndpoints');
  const found = endpoints.map((one) => `${textAt(one, 'port')} ${textAt(one, 'path')}`);
  const wanted = `${ADMIN_PORT} /metrics`;
  if (found.join() === wanted) return [];
  return [`${titleOf(monitor)} scrapes ${found.join(', ') || 'nothing'}, not ${wanted}.`];
};
