import { setTimeout as pause } from 'node:timers/promises';
import { openReceiver } from '@witan/testing';
import { driveLoad } from '../completions/drive-load.ts';
import { findViolations } from '../completions/find-violations.ts';
import type { Counts } from '../completions/find-violations.ts';
import { followChain } from '../completions/follow-chain.ts';
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
import type { SeenKeyChange } from './change-signing-key.ts';
import { findRollingViolations } from './find-rolling-violations.ts';
import { openReplicas } from './open-replicas.ts';
import type { Replica, ReplicatedSystem } from './open-replicas.ts';

/** A restart of a process under load; `at` is its start in milliseconds since the epoch. */
export type Restart = Replica & {
  at: number;
  code: number | null;
  stopMs: number;
  startMs: number;
};

export type RollingOutcome = {
  replicas: number;
  restarts: Restart[];
  /**
   * For each flow: number of calls, median and maximum duration, and the restarts during the
   * slowest call.
   */
  flows: Record<string, FlowFigures>;
  /** What was observed of the rotation of the signing key during the run. */
  keyChange: SeenKeyChange;
  counts: Counts;
  webhooks: number;
  violations: string[];
};

type FlowFigures = { calls: number; p50Ms: number; slowestMs: number; during: string };

const REPLICAS = 2;
/** Number of concurrent completions of the load. */
const IN_FLIGHT = 16;
/** Pause before the first restart and after each restart. */
const PAUSE_MS = 2_000;
const HOOK = '/told';
const TRIED = '/tried';

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
      // The value used in production.
      WITAN_IDLE_GRACE_MS: '5000',
      LOG_LEVEL: 'warn',
    },
  });
  owned.defer(system.stop);
  const client = openClient(system);
  const hook = { url: receiver.urlOf(HOOK), events: ['debate.synthesized'] };
  await client.read('POST', '/webhooks', hook);
  const flows = await openFlows(client, receiver.urlOf(TRIED));
  const { restarts, ended, completions } = await restartAll(system, { flows, random, only });
  const unkept: string[] = [];
  for (const { name, check } of flows.all) {
    unkept.push(...(await check()).map((one) => `${name}: ${one}`));
  }
  const debates = flows.synthesised();
  const webhooks = (await untilReceived(receiver, HOOK, debates)).length;
  const certificates = await followChain().readOn(system);
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
    flows: sumUp(ended, completions, restarts),
    keyChange,
    counts: judged.counts,
    webhooks,
    violations: [
      ...findRollingViolations({ restarts, ended, completions, debates, webhooks, keyChange }),
      ...unkept,
      ...judged.violations,
    ],
  };
};

const restartAll = async (
  system: ReplicatedSystem,
  { flows, random, only }: { flows: Flows; random: Random; only: string },
) => {
  const use = driveFlows(flows.all);
  const load = driveLoad(system, { inFlight: IN_FLIGHT, random, name: 'rolling' });
  const restarts: Restart[] = [];
  const restart = async (replica: Replica): Promise<void> => {
    const failedBefore = countFailed(use.ended, load.ended);
    const restarted = { ...replica, at: Date.now(), ...(await system.restart(replica)) };
    restarts.push(restarted);
    await pause(PAUSE_MS);
    const failed = countFailed(use.ended, load.ended) - failedBefore;
    process.stdout.write(`${JSON.stringify(restarted)} ${failed} calls failed\n`);
  };
  const replicas = system.replicas.filter(({ service }) => service.includes(only));
  const key = await changeSigningKey(system.signingKeyFile);
  await pause(PAUSE_MS);
  await key.putBehind();
  for (const replica of replicas) await restart(replica);
  await key.putInFront();
  for (const replica of replicas.filter(({ service }) => service === 'ledger')) {
    await restart(replica);
  }
  await Promise.all([use.stop(), load.stop()]);
  return { restarts, ended: use.ended, completions: load.ended };
};

const countFailed = (ended: readonly FlowCall[], completions: readonly CallRecord[]): number =>
  ended.filter(({ error }) => error !== '').length +
  completions.filter(({ outcome }) => outcome !== 'complete').length;

const sumUp = (
  ended: readonly FlowCall[],
  completions: readonly CallRecord[],
  restarts: readonly Restart[],
): RollingOutcome['flows'] => {
  const all = [
    ...completions.map(({ startedAt, endedAt, isStreamed }) => ({
      flow: isStreamed ? 'load, streamed' : 'load',
      startedAt,
      endedAt,
    })),
    ...ended,
  ];
  const during = ({ startedAt, endedAt }: (typeof all)[number]): string =>
    restarts
      .filter(({ at, stopMs, startMs }) => at < endedAt && startedAt < at + stopMs + startMs)
      .map(({ service, number }) => `${service} ${number}`)
      .join(', ');
  return Object.fromEntries(
    [...Map.groupBy(all, ({ flow }) => flow)].map(([flow, calls]) => {
      const took = (call: (typeof all)[number]): number => call.endedAt - call.startedAt;
      const sorted = calls.toSorted((a, b) => took(a) - took(b));
      const slowest = sorted.at(-1)!;
      const p50Ms = took(sorted[Math.floor(sorted.length / 2)]!);
      const figures = { p50Ms, slowestMs: took(slowest), during: during(slowest) };
      return [flow, { calls: calls.length, ...figures }];
    }),
  );
};
