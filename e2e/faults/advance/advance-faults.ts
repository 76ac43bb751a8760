import { setTimeout as pause } from 'node:timers/promises';
import { untilReplaced } from '../debates/fault-injectors.ts';
import type { InjectedFault } from '../debates/find-debate-violations.ts';
import type { FaultSignal, FaultTarget } from '../open-running-system.ts';
import type { Write, WriteKind } from './open-write-watch.ts';
import type { CompanyPace } from './scripted-company.ts';
import { AGENT_NAMES } from './scripted-company.ts';
import type { RunningAdvance } from './run-advance.ts';

/** One advance of a simulation, and the fault that disturbs it. */
export type AdvanceFault = {
  name: string;
  createPace: (runningAdvance: RunningAdvance) => CompanyPace;
  prepare?: (runningAdvance: RunningAdvance) => Promise<void>;
  run: (runningAdvance: RunningAdvance) => Promise<InjectedFault[]>;
  /** Set if the fault interrupts model calls, so that decisions may lack agents. */
  mayMissAgents?: true;
};

/** Time for bytes that a killed process has already sent to arrive. */
const ARRIVAL_WAIT_MS = 300;
const WRITE_LIMIT_MS = 60_000;
/** Delay of model calls in faults that may strike at any call, so that some calls are in flight. */
const DELAY_MS = 250;
const POLL_MS = 20;

/**
 * Returns a pace at which the second scenario's panel answers only after the first scenario's
 * decision is stored.
 */
const createPaceByWrites: AdvanceFault['createPace'] =
  ({ watch, started }) =>
  async ({ scenario }) => {
    if (scenario !== 'Bust') return;
    await watch.whenCommitted((one) => isDecisionOf(one, 'Calm', started));
  };

/**
 * Returns a pace that orders agents by delays. Used where the fault may kill the database, because
 * then no writes can be observed.
 */
const createPaceByDelay: AdvanceFault['createPace'] =
  () =>
  ({ name }) =>
    pause(DELAY_MS * (1 + AGENT_NAMES.findIndex((one) => one === name)));

const isDecisionOf = (
  { kind, scenarioId }: Write,
  name: string,
  { scenarios }: RunningAdvance['started'],
): boolean => kind === 'council' && scenarios.get(scenarioId) === name;

export const noFault: AdvanceFault = {
  name: 'undisturbed',
  createPace: createPaceByWrites,
  run: async () => [],
};

/**
 * All faults: simulation is killed after each kind of write, before three of them, and twice in one
 * advance; it is stopped by SIGTERM; then each other process is killed.
 */
export const ADVANCE_FAULTS: readonly AdvanceFault[] = [
  killAfter('the lease', ({ kind }) => kind === 'lease'),
  killAfter('the first council decision', (one, started) => isDecisionOf(one, 'Calm', started)),
  killAfter('the last council decision', (one, started) => isDecisionOf(one, 'Bust', started)),
  killAfter('the turn', ({ kind }) => kind === 'turn'),
  killAfter('the report', ({ kind }) => kind === 'report'),
  killBefore('a council decision is stored', 'council'),
  killBefore('the turn is stored', 'turn'),
  killBefore('the report is stored', 'report'),
  killTwice(),
  signalWhilePanelsDecide('stop simulation', 'simulation', 'SIGTERM'),
  ...(['agents', 'llm-gateway', 'ledger', 'postgres', 'nats', 'api-gateway'] as const).map(
    (target) => signalWhilePanelsDecide(`kill ${target}`, target, 'SIGKILL'),
  ),
];

type WriteMatcher = (write: Write, started: RunningAdvance['started']) => boolean;

function killAfter(step: string, matches: WriteMatcher): AdvanceFault {
  return {
    name: `kill simulation after ${step}`,
    createPace: createPaceByWrites,
    run: async (runningAdvance) => [await killOnWrite(runningAdvance, matches)],
  };
}

/** Kills simulation after it has executed a write but before the transaction commits. */
function killBefore(writeName: string, kind: WriteKind): AdvanceFault {
  return {
    name: `kill simulation before ${writeName}`,
    createPace: () => async () => {},
    prepare: ({ watch }) => watch.block(kind),
    run: async (runningAdvance) => {
      const { watch, system, listCallKeys } = runningAdvance;
      const before = await system.readFile();
      const sendSignal = await system.prepareSignal(['simulation'], 'SIGKILL');
      await rejectIfLate(watch.whenBlocked());
      sendSignal();
      await pause(ARRIVAL_WAIT_MS);
      const unstoredCalls = findLostReport(listCallKeys(), false);
      await watch.unblock();
      await untilReplaced(system, before.pids, 'simulation');
      return [{ unstoredCalls, repeats: 'exactly' }];
    },
  };
}

/** Kills simulation while it has leased the advance, then its successor too. */
function killTwice(): AdvanceFault {
  return {
    name: 'kill simulation twice',
    createPace: createPaceByWrites,
    run: async (runningAdvance) => [
      await killOnWrite(runningAdvance, (one, started) => isDecisionOf(one, 'Calm', started)),
      await killOnWrite(runningAdvance, ({ kind }) => kind === 'turn'),
    ],
  };
}

const killOnWrite = async (
  { watch, system, started, listCallKeys }: RunningAdvance,
  matches: WriteMatcher,
): Promise<InjectedFault> => {
  const before = await system.readFile();
  const sendSignal = await system.prepareSignal(['simulation'], 'SIGKILL');
  await rejectIfLate(watch.whenCommitted((one) => matches(one, started)));
  sendSignal();
  await pause(ARRIVAL_WAIT_MS);
  const isReportStored = watch.commits().some(({ kind }) => kind === 'report');
  const unstoredCalls = findLostReport(listCallKeys(), isReportStored);
  await untilReplaced(system, before.pids, 'simulation');
  return { unstoredCalls, repeats: 'exactly' };
};

/**
 * Returns the keys of the calls that must be repeated. Answers of panels survive in the agents
 * service, so this is only the call that writes the report, unless the report is stored.
 */
const findLostReport = (keys: readonly string[], isReportStored: boolean): string[] =>
  keys.includes('report') && !isReportStored ? ['report'] : [];

/** Sends the signal to `victim` while panels decide. */
function signalWhilePanelsDecide(
  name: string,
  target: FaultTarget,
  signal: FaultSignal,
): AdvanceFault {
  return {
    name,
    ...(target === 'llm-gateway' || target === 'ledger' ? { mayMissAgents: true } : {}),
    createPace: createPaceByDelay,
    run: async (runningAdvance) => {
      const { watch, system, listCallKeys } = runningAdvance;
      const before = await system.readFile();
      const sendSignal = await system.prepareSignal([target], signal);
      await rejectIfLate(watch.whenCommitted(({ kind }) => kind === 'lease'));
      while (listCallKeys().length === 0) await pause(POLL_MS);
      sendSignal();
      await pause(ARRIVAL_WAIT_MS);
      const unstoredCalls = [...new Set(listCallKeys())];
      await untilReplaced(system, before.pids, target);
      return [{ unstoredCalls, repeats: 'at most' }];
    },
  };
}

const rejectIfLate = async (promise: Promise<unknown>): Promise<void> => {
  const timeout = pause(WRITE_LIMIT_MS, 'late', { ref: false });
  if ((await Promise.race([promise.then(() => 'there'), timeout])) === 'late') {
    throw new Error('The advance did not reach the write at which the fault is injected.');
  }
};
