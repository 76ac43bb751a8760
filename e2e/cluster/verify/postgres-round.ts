import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../faults/client.ts';
import type { CallResponse } from '../../faults/client.ts';
import type { RoundOutcome } from '../../faults/run-part.ts';
import { awaitCondition } from '../await-condition.ts';
import { NAMESPACE } from '../install/installation.ts';
import type { Installation } from '../install/installation.ts';
import { getObjects, kubectl } from '../kubectl.ts';
import { findOutageViolations } from './judge-outage.ts';
import { awaitSettled, isReady, listServicePods, restartsOf, serviceOf } from './pods.ts';
import type { Pod } from './pods.ts';

/** Longer than two failed readiness probes and six failed liveness probes take. */
const OUTAGE_MS = 120_000;
const PAUSE_MS = 1_000;
const STOP_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 300_000;
/**
 * Each of the two DNS servers may answer with the address of before the outage, or with none, for
 * as long as it caches answers. New connections of a pool can fail until then.
 */
const DNS_CACHE_MS = 30_000;

type Outage = { responses: CallResponse[]; unready: Set<string> };

/**
 * Removes PostgreSQL for two minutes: pods stay ready and none restarts, calls are refused with 503
 * during the outage, and succeed after it. Ends when cached addresses have expired, so that what
 * follows meets an undisturbed system.
 */
export const removePostgres = async (installation: Installation): Promise<RoundOutcome> => {
  const { send } = openClient(installation);
  const call = (): Promise<CallResponse> => send('GET', '/proofs');
  const before = countRestarts(await listServicePods());
  const outage: Outage = { responses: [], unready: new Set() };
  try {
    await scale(0);
    await awaitCondition('PostgreSQL has ended', STOP_TIMEOUT_MS, hasNoPod);
    await observe(outage, call);
  } finally {
    await scale(1);
  }
  const startedAt = Date.now();
  const succeeds = async (): Promise<boolean> => (await call()).status === 200;
  await awaitCondition('a call succeeds after the outage', START_TIMEOUT_MS, succeeds);
  const succeedsAfterMs = Date.now() - startedAt;
  await pause(DNS_CACHE_MS);
  await awaitSettled();
  const restarts = countRestarts(await listServicePods()) - before;
  return {
    figures: { callsInOutage: outage.responses.length, succeedsAfterMs, restarts },
    violations: [
      ...findOutageViolations(outage.responses),
      ...[...outage.unready].map((service) => `${service} was unready during the outage`),
      ...(restarts === 0 ? [] : [`${restarts} restarts`]),
    ],
  };
};

/** Calls and looks at the pods until the outage has lasted long enough. */
const observe = async (
  { responses, unready }: Outage,
  call: () => Promise<CallResponse>,
): Promise<void> => {
  for (const end = Date.now() + OUTAGE_MS; Date.now() < end; await pause(PAUSE_MS)) {
    responses.push(await call());
    for (const pod of await listServicePods()) if (!isReady(pod)) unready.add(serviceOf(pod));
  }
};

const scale = (count: number): Promise<string> =>
  kubectl(['-n', NAMESPACE, 'scale', 'statefulset/postgres', `--replicas=${count}`]);

const hasNoPod = async (): Promise<boolean> => {
  type Scaled = { status: { replicas?: number } };
  const { status } = await getObjects<Scaled>(['-n', NAMESPACE, 'statefulset/postgres']);
  return (status.replicas ?? 0) === 0;
};

const countRestarts = (pods: readonly Pod[]): number =>
  pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
