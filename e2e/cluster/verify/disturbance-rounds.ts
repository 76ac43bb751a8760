import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openChainReader } from '../../faults/evidence/follow-chain.ts';
import { readKeyChange } from '../../faults/rolling/change-signing-key.ts';
import type { Round, RoundOutcome } from '../../faults/run-part.ts';
import { openClient } from '../../faults/client.ts';
import { NODES } from '../config.ts';
import { composeOverlay, NAMESPACE } from '../install/installation.ts';
import type { Installation } from '../install/installation.ts';
import { getObjects, kubectl, tryKubectl } from '../kubectl.ts';
import { driveTraffic } from './drive-traffic.ts';
import { findTrafficViolations, summarizeTraffic } from './judge-traffic.ts';
import { awaitSettled, choosePods, listServicePods } from './pods.ts';

/** Traffic before a disturbance and after the cluster has settled, in milliseconds. */
const MARGIN_MS = 5_000;
const BETWEEN_DELETIONS_MS = 8_000;
const RELEASE_JOBS = 'app.kubernetes.io/component=release-job';
const IN_NAMESPACE = ['-n', NAMESPACE] as const;

/** Runs a disturbance under traffic until the cluster has settled; every call must succeed. */
export const runUnderTraffic = async (
  installation: Installation,
  disturb: () => Promise<RoundOutcome | void>,
): Promise<RoundOutcome> => {
  const traffic = await driveTraffic(installation);
  const startedAt = Date.now();
  try {
    await pause(MARGIN_MS);
    const outcome = (await disturb()) ?? { figures: {}, violations: [] };
    await awaitSettled();
    await pause(MARGIN_MS);
    await traffic.stop();
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    return {
      figures: { seconds, ...summarizeTraffic(traffic.endedCalls), ...outcome.figures },
      violations: [...findTrafficViolations(traffic.endedCalls), ...outcome.violations],
    };
  } finally {
    await traffic.stop();
  }
};

/** Returns the rounds that need two replicas of each service. */
export const listDisturbances = (installation: Installation): readonly Round[] => {
  const underTraffic = (name: string, disturb: () => Promise<RoundOutcome | void>): Round => ({
    name: `under load: ${name}`,
    run: () => runUnderTraffic(installation, disturb),
  });
  return [
    underTraffic('rolling restart of all services', restartAll),
    underTraffic('one pod of each service is deleted', deletePods),
    underTraffic('eviction of both ledgers', evictLedgers),
    underTraffic('drain of a node', drainNode),
    underTraffic('the Jobs of a release', () => runReleaseJobs(installation)),
    underTraffic('rotation of the signing key', () => rotateSigningKey(installation)),
  ];
};

export const restartAll = async (): Promise<void> => {
  await kubectl([...IN_NAMESPACE, 'rollout', 'restart', 'deployment']);
};

const deletePods = async (): Promise<void> => {
  for (const { metadata } of await choosePods()) {
    await kubectl([...IN_NAMESPACE, 'delete', 'pod', metadata.name, '--wait=false']);
    await pause(BETWEEN_DELETIONS_MS);
  }
};

/** The disruption budget permits the first eviction and refuses the second. */
const evictLedgers = async (): Promise<RoundOutcome> => {
  const ledgers = (await listServicePods()).filter(
    ({ metadata }) => metadata.labels['app.kubernetes.io/name'] === 'ledger',
  );
  const answers: string[] = [];
  for (const { metadata } of ledgers) {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}/eviction`;
    const { name, namespace } = metadata;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const create = ['create', '--raw', path, '-f', '-'];
    const { code, stderr } = await tryKubectl(create, { input: JSON.stringify(eviction) });
    answers.push(code === 0 ? 'evicted' : stderr.trim());
  }
  const [first, second = ''] = answers;
  const isRefused = second.includes('disruption budget');
  const violations = first === 'evicted' && isRefused ? [] : [`evictions: ${answers.join('; ')}`];
  return { figures: { ledgers: ledgers.length, second }, violations };
};

const drainNode = async (): Promise<RoundOutcome> => {
  const node = NODES[1].name;
  const countPods = async (): Promise<number> =>
    (await listServicePods()).filter(({ spec }) => spec.nodeName === node).length;
  const before = await countPods();
  const startedAt = Date.now();
  try {
    const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=900s'];
    await kubectl(['drain', node, ...flags]);
    const drainedMs = Date.now() - startedAt;
    await awaitSettled();
    const after = await countPods();
    const violations = [
      ...(before === 0 ? ['no service ran on the drained node'] : []),
      ...(after === 0 ? [] : [`${after} services run on the drained node`]),
    ];
    return { figures: { evicted: before, drainedMs }, violations };
  } finally {
    await kubectl(['uncordon', node]);
  }
};

const runReleaseJobs = async ({ overlay }: Installation): Promise<RoundOutcome> => {
  const manifests = await composeOverlay(overlay);
  const selector = ['-l', RELEASE_JOBS];
  await kubectl([...IN_NAMESPACE, 'delete', 'job', ...selector, '--ignore-not-found']);
  await kubectl(['apply', '-f', '-', ...selector], { input: manifests });
  const complete = ['wait', '--for=condition=complete', '--timeout=900s', 'job', ...selector];
  await kubectl([...IN_NAMESPACE, ...complete]);
  const jobs = await getObjects<{ items: unknown[] }>([...IN_NAMESPACE, 'jobs', ...selector]);
  return {
    figures: { jobs: jobs.items.length },
    violations: jobs.items.length > 0 ? [] : ['no Job'],
  };
};

const SIGNING_KEY = 'signing-key.pem';

/** The two steps of apps/ledger/README.md: the new key after the old one, then before it. */
const rotateSigningKey = async (installation: Installation): Promise<RoundOutcome> => {
  const secret = [...IN_NAMESPACE, 'secret', 'ledger'];
  const { data } = await getObjects<{ data: Record<string, string> }>(secret);
  const old = Buffer.from(data[SIGNING_KEY]!, 'base64').toString();
  const { privateKey } = generateKeyPairSync('ed25519');
  const next = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const setKeys = async (keys: string): Promise<void> => {
    const patch = JSON.stringify({ stringData: { [SIGNING_KEY]: keys } });
    await kubectl([...IN_NAMESPACE, 'patch', 'secret', 'ledger', '-p', patch]);
    await kubectl([...IN_NAMESPACE, 'rollout', 'restart', 'deployment/ledger']);
    await awaitSettled();
  };
  await setKeys(old + next);
  await setKeys(next + old);
  await pause(MARGIN_MS);
  const client = openClient(installation);
  type Keys = { keys: { notBefore: string }[] };
  const { keys } = await client.read<Keys>('GET', '/gateway/public-key');
  const certificates = await openChainReader().readAll(installation);
  const { certificates: signed } = await readKeyChange(certificates, keys, []);
  const isChanged = signed.every((count) => count > 0);
  return {
    figures: { keys: keys.length, signedByOldAndNew: signed },
    violations: isChanged ? [] : [`certificates of the old and the new key: ${signed.join(', ')}`],
  };
};
