import { setTimeout as pause } from 'node:timers/promises';
import { openReceiver } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { openChainReader } from '../completions/follow-chain.ts';
import { readLedgerViolations } from '../completions/read-ledger-violations.ts';
import { readPath } from '../config.ts';
import { meteredEnvironment } from '../metered-environment.ts';
import { openRunningSystem } from '../open-running-system.ts';
import type { FaultSignal, FaultSystem, FaultTarget } from '../open-running-system.ts';
import { untilNoOpenReservation } from '../until-no-open-reservation.ts';
import { untilReceived } from '../until-received.ts';
import { openClient } from '../client.ts';
import { driveFlows } from './drive-flows.ts';
import type { FlowLoad } from './drive-flows.ts';
import { findFlowViolations } from './find-flow-violations.ts';
import { openFlows } from './open-flows.ts';
import type { Flows } from './open-flows.ts';

export type FlowFault = {
  name: string;
  target: FaultTarget;
  signal: Exclude<FaultSignal, 'SIGCONT'>;
};

export type FlowOutcome = {
  name: string;
  calls: number;
  failed: number;
  /**
   * For each flow, the time from the signal (from SIGCONT for a frozen process) to the end of the
   * first successful call that started after the signal.
   */
  recoveryMs: Record<string, number>;
  violations: string[];
};

export type FlowReport = {
  rounds: FlowOutcome[];
  certificates: number;
  debates: number;
  webhooks: number;
  violations: string[];
};

const TARGETS = [
  'ledger',
  'llm-gateway',
  'notifier',
  'agents',
  'simulation',
  'api-gateway',
  'postgres',
  'nats',
] as const;
const SIGNALS = [
  ['kill', 'SIGKILL'],
  ['stop', 'SIGTERM'],
  ['hang', 'SIGSTOP'],
] as const;
const PAUSE_MS = 1_500;
/** Time for which a process is frozen. */
const FREEZE_MS = 5_000;
/** Maximum time in which every flow must succeed again. */
const RECOVERY_LIMIT_MS = 45_000;
const COMPLETION_TIMEOUT_MS = 20_000;
const LEASE_MS = 3_000;
const SWEPT_LIMIT_MS = COMPLETION_TIMEOUT_MS + 40_000;
const POLL_MS = 50;
const WEBHOOK_PATH = '/synthesized';
const TEST_WEBHOOK_PATH = '/tests';

const createFaults = (): FlowFault[] =>
  SIGNALS.flatMap(([word, signal]) =>
    TARGETS.map((target) => ({
      name: `${word} ${target}`,
      target,
      // On SIGTERM PostgreSQL waits until its clients disconnect; on SIGINT it disconnects them.
      signal: target === 'postgres' && signal === 'SIGTERM' ? 'SIGINT' : signal,
    })),
  );

/**
 * Kills, stops and freezes each process while all flows run. Only faults whose name contains `only`
 * are injected.
 */
export const runFlowFaults = async ({
  home,
  only,
}: {
  home: string;
  only: string;
}): Promise<FlowReport> => {
  await using owned = new AsyncDisposableStack();
  const receiver = owned.use(await openReceiver());
  const system = await openRunningSystem(home, {
    PATH: readPath(),
    WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    WITAN_DEBATE_LEASE_MS: String(LEASE_MS),
    ...meteredEnvironment(COMPLETION_TIMEOUT_MS),
  });
  owned.defer(async () => void (await system.stop()));
  const { natsUrl, ...file } = await system.readFile();
  if (!natsUrl) throw new Error('This part needs a nats-server on the PATH.');
  const client = openClient(file);
  const hook = { url: receiver.urlOf(WEBHOOK_PATH), events: ['debate.synthesized'] };
  await client.read('POST', '/webhooks', hook);
  const flows = await openFlows(client, receiver.urlOf(TEST_WEBHOOK_PATH));
  const rounds: FlowOutcome[] = [];
  for (const fault of createFaults().filter(({ name }) => name.includes(only))) {
    const outcome = await runFlowFault(fault, system, flows);
    rounds.push(outcome);
    printOutcome(outcome);
  }
  const { violations, ...figures } = await judgeStoredData({ home, system, flows, receiver });
  return {
    rounds,
    ...figures,
    violations: [...rounds.flatMap((fault) => fault.violations), ...violations],
  };
};

const runFlowFault = async (
  { name, target, signal }: FlowFault,
  system: FaultSystem,
  { all }: Flows,
): Promise<FlowOutcome> => {
  const load = driveFlows(all);
  try {
    await pause(PAUSE_MS);
    let at = await system.signal([target], signal);
    if (signal === 'SIGSTOP') {
      await pause(FREEZE_MS);
      at = await system.signal([target], 'SIGCONT');
    }
    const recoveryMs = await untilRecovered(load, {
      at,
      flows: all.map((flow) => flow.name),
    });
    await load.stop();
    const isEdgeSignalled = target === 'api-gateway';
    const violations = [
      ...Object.entries(recoveryMs)
        .filter(([, ms]) => ms < 0)
        .map(([flow]) => `${flow}: no successful call within ${RECOVERY_LIMIT_MS} ms`),
      ...findFlowViolations(load.endedCalls, { isEdgeSignalled }),
    ];
    return {
      name,
      calls: load.endedCalls.length,
      failed: load.endedCalls.filter(({ error }) => error !== '').length,
      recoveryMs,
      violations: violations.map((one) => `${name}: ${one}`),
    };
  } finally {
    await load.stop();
  }
};

/**
 * Returns, for each flow, the time from `at` to the end of its first successful call that started
 * at `at` or later; -1 if there is none within the time limit.
 */
const untilRecovered = async (
  { endedCalls }: FlowLoad,
  { at, flows }: { at: number; flows: readonly string[] },
): Promise<Record<string, number>> => {
  for (const deadline = Date.now() + RECOVERY_LIMIT_MS; ; await pause(POLL_MS)) {
    const entries = flows.map((name): [string, number] => {
      const isGood = (call: (typeof endedCalls)[number]): boolean =>
        call.flow === name && call.error === '' && call.startedAt >= at;
      const first = endedCalls.find(isGood);
      return [name, first ? first.endedAt - at : -1];
    });
    const isOver = entries.every(([, ms]) => ms >= 0) || Date.now() > deadline;
    if (isOver) return Object.fromEntries(entries);
  }
};

const printOutcome = ({ violations, ...figures }: FlowOutcome): void => {
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  process.stdout.write(`${verdict} ${JSON.stringify(figures)}\n`);
};

type FlowRunContext = { home: string; system: FaultSystem; flows: Flows; receiver: Receiver };

/**
 * Checks the data that all flows have stored, the ledger and the webhooks, once no call is in
 * flight.
 */
const judgeStoredData = async ({
  home,
  system,
  flows,
  receiver,
}: FlowRunContext): Promise<Omit<FlowReport, 'rounds'>> => {
  const violations: string[] = [];
  for (const { name, check } of flows.all) {
    violations.push(...(await check()).map((one) => `${name}: ${one}`));
  }
  if ((await untilNoOpenReservation(home, SWEPT_LIMIT_MS)) === undefined) {
    violations.push('reservations were never ended');
  }
  const file = await system.readFile();
  const certificates = await openChainReader().readAll(file);
  violations.push(...(await readLedgerViolations(home, file)));
  const debates = flows.countSyntheses();
  const delivered = await untilReceived(receiver, WEBHOOK_PATH, debates);
  // A crash of the notifier or the database may cause a second POST of an attempt.
  const webhooks = new Set(delivered.map(({ headers }) => headers['x-service-delivery'])).size;
  if (webhooks !== debates) violations.push(`${debates} syntheses and ${webhooks} webhooks`);
  return { certificates: certificates.length, debates, webhooks, violations };
};
