import { setTimeout as pause } from 'node:timers/promises';
import { driveCalls } from '../completions/run-call.ts';
import { findViolations } from '../completions/find-violations.ts';
import { openProvider } from '../completions/open-provider.ts';
import type { FaultProvider } from '../completions/open-provider.ts';
import type { CallRecord } from '../completions/run-call.ts';
import { createEventEnvironment, createProviderEnvironment, readPath } from '../config.ts';
import type { Load } from '../drive-workers.ts';
import { openChainReader } from '../evidence/follow-chain.ts';
import { driveFlows, isFailed } from '../flows/flow.ts';
import type { FlowCall } from '../flows/flow.ts';
import { openFlowBench } from '../flows/open-flow-bench.ts';
import type { FlowBench } from '../flows/open-flow-bench.ts';
import type { Part, Round, RoundOutcome } from '../run-part.ts';
import { changeSigningKey, readKeyChange } from './change-signing-key.ts';
import { findRollingViolations } from './find-rolling-violations.ts';
import type { Restart } from './find-rolling-violations.ts';
import { openReplicas } from './open-replicas.ts';
import type { Replica, ReplicatedSystem } from './open-replicas.ts';
import { summarizeCalls } from './summarize-calls.ts';

const REPLICAS = 2;
/** Number of concurrent completions of the load. */
const IN_FLIGHT = 16;
/** Pause before the first restart and after each restart, in milliseconds. */
const PAUSE_MS = 2_000;

type RollingBench = FlowBench & {
  system: ReplicatedSystem;
  provider: FaultProvider;
  restarts: Restart[];
  flowLoad: Load<FlowCall>;
  load: Load<CallRecord>;
};

/** Restarts every process, one after another under load, and rotates the signing key. */
export const ROLLING: Part = {
  summary: 'two replicas of each service are restarted one by one; the signing key is rotated',
  open: async ({ home, random, resources }) => {
    const provider = await openProvider(random);
    resources.defer(provider.close);
    const system = await openReplicas({
      home,
      count: REPLICAS,
      env: {
        PATH: readPath(),
        ...createEventEnvironment(),
        ...createProviderEnvironment(provider.baseUrl),
        // The built-in offline provider answers for the agents of debates.
        WITAN_DEFAULT_PROVIDER: 'offline',
        // The grace period that production uses, so that the run tests the production behaviour.
        WITAN_IDLE_GRACE_MS: '5000',
      },
    });
    resources.defer(system.stop);
    const flowBench = await openFlowBench(system, resources);
    const bench: RollingBench = {
      ...flowBench,
      system,
      provider,
      restarts: [],
      flowLoad: driveFlows(flowBench.flows.all),
      load: driveCalls(system, { inFlight: IN_FLIGHT, random, name: 'rolling' }),
    };
    return { rounds: listRounds(bench), finish: () => finish(bench) };
  },
};

async function* listRounds(bench: RollingBench): AsyncGenerator<Round> {
  const { system } = bench;
  const toRound = (replica: Replica): Round => ({
    name: `${replica.service} ${replica.number}`,
    // A ledger that was not restarted lacks the new key and cannot certify once it is in force.
    ...(isLedger(replica) ? { isRequired: true as const } : {}),
    run: () => restart(replica, bench),
  });
  const key = await changeSigningKey(system.signingKeyFile);
  await pause(PAUSE_MS);
  await key.appendNewKey();
  for (const replica of system.replicas) yield toRound(replica);
  await key.prependNewKey();
  // The first ledger that restarts again puts the new key in force, and the others switch to it.
  for (const ledger of system.replicas.filter(isLedger)) yield toRound(ledger);
}

const isLedger = ({ service }: Replica): boolean => service === 'ledger';

const restart = async (replica: Replica, bench: RollingBench): Promise<RoundOutcome> => {
  const { system, restarts } = bench;
  const failedBefore = countFailed(bench);
  const restarted = { at: Date.now(), ...(await system.restart(replica)) };
  restarts.push({ ...replica, ...restarted });
  await pause(PAUSE_MS);
  return { figures: { ...restarted, failed: countFailed(bench) - failedBefore }, violations: [] };
};

const countFailed = ({ flowLoad, load }: RollingBench): number =>
  flowLoad.endedCalls.filter(isFailed).length +
  load.endedCalls.filter(({ outcome }) => outcome !== 'complete').length;

const finish = async (bench: RollingBench): Promise<RoundOutcome> => {
  const { system, provider, client, restarts, flowLoad, load } = bench;
  await Promise.all([flowLoad.stop(), load.stop()]);
  const endedCalls = flowLoad.endedCalls;
  const completions = load.endedCalls;
  const { debates, webhooks, violations } = await bench.checkStored();
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
    figures: {
      replicas: REPLICAS,
      flows: summarizeCalls(endedCalls, completions, restarts),
      keyChange,
      counts: judged.counts,
      webhooks,
    },
    violations: [
      ...findRollingViolations({ restarts, endedCalls, completions, debates, webhooks, keyChange }),
      ...violations,
      ...judged.violations,
    ],
  };
};
