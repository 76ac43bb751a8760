import { setTimeout as pause } from 'node:timers/promises';
import { untilBack } from '../debates/disturbances.ts';
import type { Strike } from '../debates/find-debate-violations.ts';
import type { FaultSignal, Victim } from '../open-running-system.ts';
import type { Write, WriteKind } from './open-write-watch.ts';
import type { CompanyPace } from './played-company.ts';
import { NAMES } from './played-company.ts';
import type { AdvanceStage } from './run-advance.ts';

/** One advance of a simulation, and the fault that disturbs it. */
export type AdvanceRound = {
  name: string;
  toPace: (stage: AdvanceStage) => CompanyPace;
  prepare?: (stage: AdvanceStage) => Promise<void>;
  run: (stage: AdvanceStage) => Promise<Strike[]>;
  /** Set if the fault interrupts model calls, so that decisions may lack agents. */
  mayMissAgents?: true;
};

/** Time for bytes that a killed process has already sent to arrive. */
const SETTLE_MS = 300;
const WRITE_LIMIT_MS = 60_000;
/** Delay of model calls in faults that may strike at any call, so that some calls are in flight. */
const DELAY_MS = 250;
const POLL_MS = 20;

/**
 * Returns a pace at which the second scenario's panel answers only after the first scenario's
 * decision is stored.
 */
const paceByWrites: AdvanceRound['toPace'] =
  ({ watch, started }) =>
  async ({ scenario }) => {
    if (scenario !== 'Bust') return;
    await watch.whenStored((one) => isCouncilOf(one, 'Calm', started));
  };

/**
 * Returns a pace that orders agents by delays. Used where the fault may kill the database, because
 * then no writes can be observed.
 */
const paceByDelay: AdvanceRound['toPace'] =
  () =>
  ({ name }) =>
    pause(DELAY_MS * (1 + NAMES.findIndex((one) => one === name)));

const isCouncilOf = (
  { kind, scenarioId }: Write,
  name: string,
  { scenarios }: AdvanceStage['started'],
): boolean => kind === 'council' && scenarios.get(scenarioId) === name;

export const undisturbed: AdvanceRound = {
  name: 'undisturbed',
  toPace: paceByWrites,
  run: async () => [],
};

/**
 * All faults: simulation is killed after each kind of write, before three of them, and twice in one
 * advance; it is stopped by SIGTERM; then each other process is killed.
 */
export const ROUNDS: readonly AdvanceRound[] = [
  killAfter('the lease', ({ kind }) => kind === 'hold'),
  killAfter('the first council', (one, started) => isCouncilOf(one, 'Calm', started)),
  killAfter('the last council', (one, started) => isCouncilOf(one, 'Bust', started)),
  killAfter('the turn', ({ kind }) => kind === 'turn'),
  killAfter('the report', ({ kind }) => kind === 'report'),
  killBefore('a council is kept', 'council'),
  killBefore('the turn is kept', 'turn'),
  killBefore('the report is kept', 'report'),
  killTwice(),
  strike('stop simulation', 'simulation', 'SIGTERM'),
  ...(['agents', 'llm-gateway', 'ledger', 'postgres', 'nats', 'api-gateway'] as const).map(
    (victim) => strike(`kill ${victim}`, victim, 'SIGKILL'),
  ),
];

type WriteMatcher = (write: Write, started: AdvanceStage['started']) => boolean;

function killAfter(step: string, matches: WriteMatcher): AdvanceRound {
  return {
    name: `kill simulation after ${step}`,
    toPace: paceByWrites,
    run: async (stage) => [await killAt(stage, matches)],
  };
}

/** Kills simulation after it has executed a write but before the transaction commits. */
function killBefore(what: string, kind: WriteKind): AdvanceRound {
  return {
    name: `kill simulation before ${what}`,
    toPace: () => async () => {},
    prepare: ({ watch }) => watch.hold(kind),
    run: async (stage) => {
      const { watch, system, callsOf } = stage;
      const before = await system.readFile();
      const fire = await system.aim(['simulation'], 'SIGKILL');
      await within(watch.whenHeld());
      fire();
      await pause(SETTLE_MS);
      const unstored = lostReport(callsOf(), false);
      await watch.release();
      await untilBack(system, before.pids, 'simulation');
      return [{ unstored, repeats: 'exactly' }];
    },
  };
}

/** Kills simulation while it has leased the advance, then its successor too. */
function killTwice(): AdvanceRound {
  return {
    name: 'kill simulation twice',
    toPace: paceByWrites,
    run: async (stage) => [
      await killAt(stage, (one, started) => isCouncilOf(one, 'Calm', started)),
      await killAt(stage, ({ kind }) => kind === 'turn'),
    ],
  };
}

const killAt = async (
  { watch, system, started, callsOf }: AdvanceStage,
  matches: WriteMatcher,
): Promise<Strike> => {
  const before = await system.readFile();
  const fire = await system.aim(['simulation'], 'SIGKILL');
  await within(watch.whenStored((one) => matches(one, started)));
  fire();
  await pause(SETTLE_MS);
  const isReported = watch.seen().some(({ kind }) => kind === 'report');
  const unstored = lostReport(callsOf(), isReported);
  await untilBack(system, before.pids, 'simulation');
  return { unstored, repeats: 'exactly' };
};

/**
 * Returns the keys of the calls that must be repeated. Answers of panels survive in the agents
 * service, so this is only the call that writes the report, unless the report is stored.
 */
const lostReport = (keys: readonly string[], isReported: boolean): string[] =>
  keys.includes('report') && !isReported ? ['report'] : [];

/** Sends the signal to `victim` while panels decide. */
function strike(name: string, victim: Victim, signal: FaultSignal): AdvanceRound {
  return {
    name,
    ...(victim === 'llm-gateway' || victim === 'ledger' ? { mayMissAgents: true } : {}),
    toPace: paceByDelay,
    run: async (stage) => {
      const { watch, system, callsOf } = stage;
      const before = await system.readFile();
      const fire = await system.aim([victim], signal);
      await within(watch.whenStored(({ kind }) => kind === 'hold'));
      while (callsOf().length === 0) await pause(POLL_MS);
      fire();
      await pause(SETTLE_MS);
      const unstored = [...new Set(callsOf())];
      await untilBack(system, before.pids, victim);
      return [{ unstored, repeats: 'at most' }];
    },
  };
}

const within = async (awaited: Promise<unknown>): Promise<void> => {
  const late = pause(WRITE_LIMIT_MS, 'late', { ref: false });
  if ((await Promise.race([awaited.then(() => 'there'), late])) === 'late') {
    throw new Error('An advance never came to what it was to be struck at.');
  }
};
