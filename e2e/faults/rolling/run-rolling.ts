import { setTimeout as pause } from 'node:timers/promises';
import { openReceiver } from '@witan/testing';
import { driveLoad } from '../completions/drive-load.ts';
import { findViolations } from '../completions/find-violations.ts';
import type { Counts } from '../completions/find-violations.ts';
import { openChainReader } from '../completions/follow-chain.ts';
import { openProvider } from '../completions/open-provider.ts';
import type { CallRecord } from '../completions/run-call.ts';
import { readPath } from '../config.ts';
import type { Random } from '../random.ts';
import { untilReceived } from '../until-received.ts';
import { openClient } from '../client.ts';
import { driveFlows } from '../flows/drive-flows.ts';
import type { FlowCall } from '../flows/drive-flows.ts';
import { openFlows } from '../flows/open-flows.ts';
import type { Flows } from '../flows/open-flows.ts';
import { changeSigningKey, readKeyChange } from './change-signing-key.ts';
import type { KeyChangeEvidence } from './change-signing-key.ts';
import { findRollingViolations } from './find-rolling-violations.ts';
import { openReplicas } from './open-replicas.ts';
import type { Replica, ReplicatedSystem } from './open-replicas.ts';
import type { Restart } from './find-rolling-violations.ts';

export type RollingOutcome = {
  replicas: number;
  restarts: Restart[];
  /**
   * For each flow: number of calls, median and maximum duration, and the restarts during the
   * slowest call.
   */
  flows: Record<string, FlowFigures>;
  /** Effects of the rotation of the signing key on certificates and logs. */
  keyChange: KeyChangeEvidence;
  counts: Counts;
  webhooks: number;
  violations: string[];
};

type FlowFigures = { calls: number; p50Ms: number; slowestMs: number; during: string };

const REPLICAS = 2;
/** Number of concurrent completions of the load. */
const IN_FLIGHT = 16;
/** Pause before the first restart and after each restart, in milliseconds. */
const PAUSE_MS = 2_000;
const WEBHOOK_PATH = '/synthesized';
const TEST_WEBHOOK_PATH = '/tests';

/**
 * Restarts every process of the services whose name contains `only`, one after another under load,
 * and rotates the signing key. Returns measurements and violations.
 */
export const runRolling = async ({
  home,
  random,
  only,
}: {
  home: string;
  random: Random;
  only: string;
}): Promise<RollingOutcome> => {
  await using owned = new AsyncDisposableStack();
  const provider = await openProvider(random);
  owned.defer(provider.close);
  const receiver = owned.use(await openReceiver());
  const system = await openReplicas({
    home,
    count: REPLICAS,
    env: {
      PATH: readPath(),
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-faults',
      // The built-in offline provider answers for the agents of debates.
      WITAN_DEFAULT_PROVIDER: 'offline',
      WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      // The grace period that production uses, so that the run tests the production behaviour.
      WITAN_IDLE_GRACE_MS: '5000',
      LOG_LEVEL: 'warn',
    },
  });
  owned.defer(system.stop);
  const client = openClient(system);
  const hook = { url: receiver.urlOf(WEBHOOK_PATH), events: ['debate.synthesized'] };
  await client.read('POST', '/webhooks', hook);
  const flows = await openFlows(client, receiver.urlOf(TEST_WEBHOOK_PATH));
  const { restarts, endedCalls, completions } = await restartAll(system, { flows, random, only });
  const flowViolations: string[] = [];
  for (const { name, check } of flows.all) {
    flowViolations.push(...(await check()).map((one) => `${name}: ${one}`));
  }
  const debates = flows.countSyntheses();
  const webhooks = (await untilReceived(receiver, WEBHOOK_PATH, debates)).length;
  const certificates = await openChainReader().readAll(system);
  const keysPath = '/gateway/public-key';
  const { keys } = await client.read<{ keys: { notBefore: string }[] }>('GET', keysPath);
  const keyChange = await readKeyChange(certificates, keys, system.ledgerLogs);
  const judged = findViolations({
    calls: completions,
    received: provider.received(),
    certificates: certificates.filter(({ payload }) => payload.egress.provider === 'openai'),
  });
  return {
    replicas: REPLICAS,
    restarts,
    flows: sumUp(endedCalls, completions, restarts),
    keyChange,
    counts: judged.counts,
    webhooks,
    violations: [
      ...findRollingViolations({ restarts, endedCalls, completions, debates, webhooks, keyChange }),
      ...flowViolations,
      ...judged.violations,
    ],
  };
};

const restartAll = async (
  system: ReplicatedSystem,
  { flows, random, only }: { flows: Flows; random: Random; only: string },
) => {
  const flowLoad = driveFlows(flows.all);
  const load = driveLoad(system, { inFlight: IN_FLIGHT, random, name: 'rolling' });
  const restarts: Restart[] = [];
  const restart = async (replica: Replica): Promise<void> => {
    const failedBefore = countFailed(flowLoad.endedCalls, load.endedCalls);
    const restarted = { ...replica, at: Date.now(), ...(await system.restart(replica)) };
    restarts.push(restarted);
    await pause(PAUSE_MS);
    const failed = countFailed(flowLoad.endedCalls, load.endedCalls) - failedBefore;
    process.stdout.write(`${JSON.stringify(restarted)} ${failed} calls failed\n`);
  };
  const replicas = system.replicas.filter(({ service }) => service.includes(only));
  const key = await changeSigningKey(system.signingKeyFile);
  await pause(PAUSE_MS);
  await key.appendNewKey();
  for (const replica of replicas) await restart(replica);
  await key.prependNewKey();
  for (const replica of replicas.filter(({ service }) => service === 'ledger')) {
    await restart(replica);
  }
  await Promise.all([flowLoad.stop(), load.stop()]);
  return { restarts, endedCalls: flowLoad.endedCalls, completions: load.endedCalls };
};

const countFailed = (endedCalls: readonly FlowCall[], completions: readonly CallRecord[]): number =>
  endedCalls.filter(({ error }) => error !== '').length +
  completions.filter(({ outcome }) => outcome !== 'complete').length;

const sumUp = (
  endedCalls: readonly FlowCall[],
  completions: readonly CallRecord[],
  restarts: readonly Restart[],
): RollingOutcome['flows'] => {
  const all = [
    ...completions.map(({ startedAt, endedAt, isStreamed }) => ({
      flow: isStreamed ? 'load, streamed' : 'load',
      startedAt,
      endedAt,
    })),
    ...endedCalls,
  ];
  const during = ({ startedAt, endedAt }: (typeof all)[number]): string =>
    restarts
      .filter(({ at, stopMs, startMs }) => at < endedAt && startedAt < at + stopMs + startMs)
      .map(({ service, number }) => `${service} ${number}`)
      .join(', ');
  return Object.fromEntries(
    [...Map.groupBy(all, ({ flow }) => flow)].map(([flow, calls]) => {
      const durationOf = (call: (typeof all)[number]): number => call.endedAt - call.startedAt;
      const sorted = calls.toSorted((a, b) => durationOf(a) - durationOf(b));
      const slowest = sorted.at(-1)!;
      const p50Ms = durationOf(sorted[Math.floor(sorted.length / 2)]!);
      const figures = { p50Ms, slowestMs: durationOf(slowest), during: during(slowest) };
      return [flow, { calls: calls.length, ...figures }];
    }),
  );
};
