import { setTimeout as pause } from 'node:timers/promises';
import { createEventEnvironment, createMeteredEnvironment } from '../config.ts';
import type { Load } from '../drive-workers.ts';
import { openChainReader } from '../evidence/follow-chain.ts';
import { readAuditViolations } from '../evidence/read-audit-violations.ts';
import { untilNoOpenReservation } from '../evidence/read-ledger.ts';
import { FAULT_TARGETS } from '../open-running-system.ts';
import type { FaultSystem } from '../open-running-system.ts';
import type { Part, RoundOutcome } from '../run-part.ts';
import { freeze, strike } from '../strike.ts';
import type { Strike } from '../strike.ts';
import { until } from '../until.ts';
import { driveFlows, isFailed, findFlowViolations } from './flow.ts';
import type { Flow, FlowCall } from './flow.ts';
import { openFlowBench } from './open-flow-bench.ts';
import type { FlowBench } from './open-flow-bench.ts';

const SIGNALS = { kill: 'SIGKILL', stop: 'SIGTERM', hang: 'SIGSTOP' } as const;
const PAUSE_MS = 1_500;
/** Time for which a process is frozen. */
const FREEZE_MS = 5_000;
/** Time within which every flow must succeed again. */
const RECOVERY_LIMIT_MS = 45_000;
const COMPLETION_TIMEOUT_MS = 20_000;
const LEASE_MS = 3_000;
const SWEPT_LIMIT_MS = COMPLETION_TIMEOUT_MS + 40_000;

/** Each signal for each process. */
const STRIKES: readonly (Strike & { name: string })[] = Object.entries(SIGNALS).flatMap(
  ([verb, signal]) =>
    FAULT_TARGETS.map((target) => ({
      name: `${verb} ${target}`,
      targets: [target],
      // On SIGTERM PostgreSQL waits until its clients disconnect; on SIGINT it disconnects them.
      signal: target === 'postgres' && signal === 'SIGTERM' ? 'SIGINT' : signal,
    })),
);

export const FLOWS: Part = {
  summary: 'each of eight processes is killed, stopped and frozen during eight concurrent flows',
  open: async ({ home, resources, openSystem }) => {
    const system = await openSystem({
      ...createEventEnvironment(),
      ...createMeteredEnvironment(COMPLETION_TIMEOUT_MS),
      WITAN_DEBATE_LEASE_MS: String(LEASE_MS),
    });
    const bench = await openFlowBench(system, resources);
    return {
      rounds: STRIKES.map((one) => ({
        name: one.name,
        run: () => runFlowStrike(one, system, bench.flows.all),
      })),
      finish: () => finish(home, system, bench),
    };
  },
};

const runFlowStrike = async (
  planned: Strike,
  system: FaultSystem,
  flows: readonly Flow[],
): Promise<RoundOutcome> => {
  const load = driveFlows(flows);
  const { endedCalls } = load;
  try {
    await pause(PAUSE_MS);
    const at = await strikeOrFreeze(planned, system);
    const recoveryMs = await untilRecovered(load, { at, names: flows.map(({ name }) => name) });
    await load.stop();
    return {
      figures: {
        calls: endedCalls.length,
        failed: endedCalls.filter(isFailed).length,
        // For each flow, the time until the end of its first successful call; -1 if there was none.
        recoveryMs,
      },
      violations: [
        ...Object.entries(recoveryMs)
          .filter(([, ms]) => ms < 0)
          .map(([flow]) => `${flow}: no successful call within ${RECOVERY_LIMIT_MS} ms`),
        ...findFlowViolations(endedCalls, {
          isGatewaySignalled: planned.targets.includes('api-gateway'),
        }),
      ],
    };
  } finally {
    await load.stop();
  }
};

/**
 * Signals or freezes the processes. Returns the time of the signal; of SIGCONT for a frozen
 * process.
 */
const strikeOrFreeze = async (planned: Strike, system: FaultSystem): Promise<number> =>
  planned.signal === 'SIGSTOP'
    ? freeze(system, planned.targets[0]!, FREEZE_MS)
    : (await strike(system, planned)).at;

/**
 * Returns, for each flow, the time from `at` to the end of its first successful call that started
 * at `at` or later; -1 if there is none within the time limit.
 */
const untilRecovered = async (
  { endedCalls }: Load<FlowCall>,
  { at, names }: { at: number; names: readonly string[] },
): Promise<Record<string, number>> => {
  const firstOf = (name: string): FlowCall | undefined =>
    endedCalls.find((call) => call.flow === name && !isFailed(call) && call.startedAt >= at);
  await until(RECOVERY_LIMIT_MS, () => names.every(firstOf));
  return Object.fromEntries(names.map((name) => [name, (firstOf(name)?.endedAt ?? at - 1) - at]));
};

/** Checks the data that all flows have stored, the ledger and the webhooks. */
const finish = async (
  home: string,
  system: FaultSystem,
  bench: FlowBench,
): Promise<RoundOutcome> => {
  const { debates, webhooks, violations } = await bench.checkStored();
  const sweptMs = await untilNoOpenReservation(home, SWEPT_LIMIT_MS);
  const file = await system.readFile();
  const certificates = await openChainReader().readAll(file);
  return {
    figures: { certificates: certificates.length, debates, webhooks },
    violations: [
      ...violations,
      ...(sweptMs === undefined ? ['reservations were never ended'] : []),
      ...(await readAuditViolations(home, file)),
      ...(webhooks === debates ? [] : [`${debates} syntheses and ${webhooks} webhooks`]),
    ],
  };
};
