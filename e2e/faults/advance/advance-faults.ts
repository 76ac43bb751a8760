import type { FaultSystem } from '../open-running-system.ts';
import type { WriteWatch } from './open-write-watch.ts';
import type { StartedSimulation } from './simulation-api.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { untilReplaced } from '../debates/fault-injectors.ts';
import type { InjectedFault } from '../debates/find-debate-violations.ts';
import type { FaultSignal, FaultTarget } from '../open-running-system.ts';
import type { Write, WriteKind } from './open-write-watch.ts';
import type { CompanyPace } from './scripted-company.ts';
import { AGENT_NAMES } from './scripted-company.ts';

/**
 * A fault that is injected while a client advances a simulation, and the delays of the model's
 * answers.
 */
export type AdvanceFault = {
  name: string;
  createPace: (runningAdvance: RunningAdvance) => CompanyPace;
  prepare?: (runningAdvance: RunningAdvance) => Promise<void>;
  run: (runningAdvance: RunningAdvance) => Promise<InjectedFault[]>;
  /**
   * Set if the fault interrupts model calls, so that a panel may decide without some of its agents.
   */
  mayMissAgents?: true;
};

/** Time within which requests that a killed process has sent still arrive, in milliseconds. */
const ARRIVAL_WAIT_MS = 300;
const WRITE_LIMIT_MS = 60_000;
/**
 * Delay between two agents' answers, so that some model calls are in flight when the fault is
 * injected.
 */
const DELAY_MS = 250;
const POLL_MS = 20;

/**
 * Returns a pace that delays the second scenario's panel until the first scenario's decision is
 * stored.
 */
const createPaceByWrites: AdvanceFault['createPace'] =
  ({ watch, started }) =>
  async ({ scenario }) => {
    if (scenario !== 'Bust') return;
    await watch.whenCommitted((one) => isDecisionOf(one, 'Calm', started));
  };

/**
 * Returns a pace that gives each agent a longer delay than the previous one. Used where the fault
 * may kill the database, because its writes cannot be observed then.
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
 * All faults: the simulation service is killed after each kind of write, before three kinds of
 * writes, and twice in one advance; it is stopped by SIGTERM; then each of the other processes is
 * killed.
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

/**
 * Kills the simulation service after it has executed a write of this kind but before the
 * transaction commits.
 */
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

/**
 * Kills the simulation service after the first panel's decision, then its restarted process after
 * the turn is stored.
 */
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
 * Returns the keys of the calls that must be repeated: the call that writes the report, unless the
 * report is stored. The answers of panels are stored in the agents service.
 */
const findLostReport = (keys: readonly string[], isReportStored: boolean): string[] =>
  keys.includes('report') && !isReportStored ? ['report'] : [];

/** Sends the signal to `target` while panels decide. */
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

export type RunningAdvance = {
  system: FaultSystem;
  watch: WriteWatch;
  started: StartedSimulation;
  /** Returns the keys of the model calls that were made for this simulation so far. */
  listCallKeys: () => string[];
};
