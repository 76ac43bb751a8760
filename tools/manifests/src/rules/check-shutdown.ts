import { EDGE_CONFIG, EDGE_EXPORT, EDGE_TIMEOUTS, textOf } from '../files.ts';
import type { Files } from '../files.ts';
import { at, objectAt } from '../manifest.ts';
import { findService, manifestsOfKind } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';
import { environmentOf } from './check-environment.ts';
import type { Readers } from './check-environment.ts';

/** Time for background loops (deliveries, debates, connections) to end after the last call. */
const LOOP_SHUTDOWN_MS = 30_000;
const SECOND_MS = 1_000;
/**
 * Time for which the cluster's DNS may return addresses that have changed: `cache 30` in the
 * Corefile of kubeadm.
 */
const DNS_CACHE_MS = 30_000;
/** Time for a new pod to become ready on a node that has the image. */
const POD_START_MS = 15_000;
/** Time for a caller to connect to a replica after it has found its address. */
const CONNECT_MS = 5_000;

/**
 * Checks that running calls can finish when a pod is terminated, and that it accepts calls until
 * its callers can find another pod.
 */
export const checkShutdown = (
  rendered: Rendered,
  { readers, files }: { readers: Readers; files: Files },
): string[] => {
  const longestMs = longestRequestMs(rendered, files);
  return Object.keys(readers).flatMap((service) => {
    const workload = findService(rendered, service);
    return workload ? checkService(rendered, workload, longestMs) : [];
  });
};

const checkService = (rendered: Rendered, workload: Workload, longestMs: number): string[] => {
  const { title, pod, containers } = workload;
  const drainMs = readSetting(rendered, workload, 'WITAN_DRAIN_MS');
  const pauseMs = Number(at(containers[0], 'lifecycle', 'preStop', 'sleep', 'seconds')) * SECOND_MS;
  const graceMs = Number(pod.terminationGracePeriodSeconds) * SECOND_MS;
  const neededMs = pauseMs + drainMs + LOOP_SHUTDOWN_MS;
  return [
    ...(drainMs >= longestMs
      ? []
      : [`${title} waits ${drainMs} ms for calls; the longest takes ${longestMs}.`]),
    ...(pauseMs > 0 ? [] : [`${title} stops before it has been taken out of the way.`]),
    ...(isHeadless(rendered, workload) ? checkDnsCache(workload, pauseMs) : []),
    ...(graceMs >= neededMs ? [] : [`${title} has ${graceMs} ms to end, and needs ${neededMs}.`]),
  ];
};

const isHeadless = (rendered: Rendered, { name }: Workload): boolean =>
  manifestsOfKind(rendered, 'Service').some(
    ({ metadata, spec }) => metadata.name === name && at(spec, 'clusterIP') === 'None',
  );

/**
 * Checks the pauses of a service whose callers resolve its pods themselves: while its pod is
 * deleted, and while a rollout replaces it.
 */
const checkDnsCache = ({ manifest, title }: Workload, pauseMs: number): string[] => {
  const minReadyMs = Number(objectAt(manifest, 'spec').minReadySeconds) * SECOND_MS;
  return [
    ...(pauseMs >= DNS_CACHE_MS + POD_START_MS
      ? []
      : [`${title} stops after ${pauseMs} ms; DNS may return its address for longer.`]),
    ...(minReadyMs >= DNS_CACHE_MS + CONNECT_MS
      ? []
      : [`${title} replaces a pod after ${minReadyMs} ms; DNS may not return the new one yet.`]),
  ];
};

const readSetting = (rendered: Rendered, workload: Workload, name: string): number =>
  Number(environmentOf(rendered, workload)[name]);

/**
 * Returns the longest duration of a request: advancing a simulation (waiting for another advance,
 * its model calls, certification and overhead) or exporting a chain. Reads the limits from the
 * api-gateway's source.
 */
const longestRequestMs = (rendered: Rendered, files: Files): number => {
  const apiGateway = findService(rendered, 'api-gateway');
  const completionMs = apiGateway
    ? readSetting(rendered, apiGateway, 'WITAN_COMPLETION_TIMEOUT_MS')
    : Number.NaN;
  const advanceMs =
    completionMs +
    constantOf(files, EDGE_CONFIG, 'CERTIFY_MARGIN_MS') +
    constantOf(files, EDGE_TIMEOUTS, 'TURN_MARGIN_MS') +
    constantOf(files, EDGE_TIMEOUTS, 'SIMULATION_WAIT_MS');
  return Math.max(advanceMs, constantOf(files, EDGE_EXPORT, 'EXPORT_TIMEOUT_MS'));
};

const constantOf = (files: Files, path: string, name: string): number => {
  const found = new RegExp(`const ${name} = ([\\d_]+);`).exec(textOf(files, path));
  if (!found) throw new Error(`${path} no longer has ${name}; update tools/manifests.`);
  return Number(found[1]!.replaceAll('_', ''));
};
