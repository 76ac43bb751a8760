import { setTimeout as pause } from 'node:timers/promises';
import { untilBack } from '../debates/disturbances.ts';
import type { Strike } from '../debates/find-debate-violations.ts';
import type { FaultSignal, Victim } from '../open-running-system.ts';
import type { Write, WriteKind } from './open-write-watch.ts';
import type { CompanyPace } from './played-company.ts';
import { NAMES } from './played-company.ts';
import type { AdvanceStage } from './run-advance.ts';

/** One advance of a simulation with a named disturbance. */
export type AdvanceRound = {
  name: string;
  toPace: (stage: AdvanceStage) => CompanyPace;
  prepare?: (stage: AdvanceStage) => Promise<void>;
  run: (stage: AdvanceStage) => Promise<Strike[]>;
  /** Set if calls to models are interrupted, so that agents may be absent. */
  mayMissAgents?: true;
};

/** Time after which bytes sent by a dead process have arrived. */
const SETTLE_MS = 300;
const WRITE_LIMIT_MS = 60_000;
/** Delay of calls whose order does not matter, so that some are in flight at any moment. */
const DELAY_MS = 250;
const POLL_MS = 20;

/** Lets the panel of the second scenario answer after that of the first is stored. */
const paceByWrites: AdvanceRound['toPace'] =
  ({ watch, started }) =>
  async ({ scenario }) => {
    if (scenario !== 'Bust') return;
    await watch.whenStored((one) => isCouncilOf(one, 'Calm', started));
  };

/** Orders panels by delays, for rounds in which the database cannot be observed. */
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
 * All rounds: simulation is killed after each write and before each write but the first; then each
 * of the other processes is killed.
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

/** Kills simulation when the write is prepared and its transaction not yet committed. */
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

/** Kills two processes, one after the other, while each leases the simulation. */
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
 * Returns the calls that must be repeated: panels survive in the agents service, but the author's
 * call of the report is lost with the process.
 */
const lostReport = (keys: readonly string[], isReported: boolean): string[] =>
  keys.includes('report') && !isReported ? ['report'] : [];

/** Signals the victim while panels decide. */
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
      // Waits until an agent's call is in flight.
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
