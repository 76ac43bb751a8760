import { EDGE_CONFIG, EDGE_EXPORT, EDGE_SERVICE, EDGE_TIMEOUTS, textOf } from '../files.ts';
import type { Files } from '../files.ts';
import { at, listAt, objectAt, textAt } from '../manifest.ts';
import { findService, ofKind } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';
import type { Readers } from './check-environment.ts';

/** A service ends its own loops after its calls: attempts, debates, connections. */
const OWN_END_MS = 30_000;
const SECOND_MS = 1_000;

/** Calls that run when a pod is told to leave may end: nothing is cut by a roll-out. */
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
  const drainMs = settingOf(rendered, workload, 'WITAN_DRAIN_MS');
  const pauseMs = Number(at(containers[0], 'lifecycle', 'preStop', 'sleep', 'seconds')) * SECOND_MS;
  const graceMs = Number(pod.terminationGracePeriodSeconds) * SECOND_MS;
  const neededMs = pauseMs + drainMs + OWN_END_MS;
  return [
    ...(drainMs >= longestMs
      ? []
      : [`${title} waits ${drainMs} ms for calls; the longest takes ${longestMs}.`]),
    ...(pauseMs > 0 ? [] : [`${title} stops before it has been taken out of the way.`]),
    ...(graceMs >= neededMs ? [] : [`${title} has ${graceMs} ms to end, and needs ${neededMs}.`]),
  ];
};

/** A number that a workload is given, by value or from a ConfigMap. */
const settingOf = (rendered: Rendered, { containers }: Workload, name: string): number => {
  const variable = listAt(containers[0], 'env').find((one) => one.name === name);
  const reference = objectAt(variable, 'valueFrom', 'configMapKeyRef');
  const map = ofKind(rendered, 'ConfigMap').find(
    ({ metadata }) => metadata.name === reference.name,
  );
  return Number(map ? textAt(map, 'data', textAt(reference, 'key')) : variable?.value);
};

/**
 * What the edge waits for at most: a simulation that advances (its turn's model call, certified,
 * with what a turn does beside it, after waiting for another advance), or the export of a chain.
 * The numbers are read where the edge has them, so that this page cannot fall behind.
 */
const longestRequestMs = (rendered: Rendered, files: Files): number => {
  const edge = findService(rendered, 'api-gateway');
  const completionMs = edge ? settingOf(rendered, edge, 'WITAN_COMPLETION_TIMEOUT_MS') : Number.NaN;
  const advanceMs =
    completionMs +
    constantOf(files, EDGE_CONFIG, 'CERTIFY_MARGIN_MS') +
    constantOf(files, EDGE_SERVICE, 'TURN_MARGIN_MS') +
    constantOf(files, EDGE_TIMEOUTS, 'SIMULATION_WAIT_MS');
  return Math.max(advanceMs, constantOf(files, EDGE_EXPORT, 'EXPORT_TIMEOUT_MS'));
};

const constantOf = (files: Files, path: string, name: string): number => {
  const found = new RegExp(`const ${name} = ([\\d_]+);`).exec(textOf(files, path));
  if (!found) throw new Error(`${path} has no ${name} any more: teach tools/manifests.`);
  return Number(found[1]!.replaceAll('_', ''));
};
