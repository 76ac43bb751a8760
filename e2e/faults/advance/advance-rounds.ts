import { setTimeout as pause } from 'node:timers/promises';
import { untilBack } from '../debates/disturbances.ts';
import type { Strike } from '../debates/find-debate-violations.ts';
import type { FaultSignal, Victim } from '../open-running-system.ts';
import type { Write, WriteKind } from './open-write-watch.ts';
import type { CompanyPace } from './played-company.ts';
import { NAMES } from './played-company.ts';
import type { AdvanceStage } from './run-advance.ts';

/** What is done to one advance, by name. */
export type AdvanceRound = {
  name: string;
  toPace: (stage: AdvanceStage) => CompanyPace;
  /** Before it is asked for. */
  prepare?: (stage: AdvanceStage) => Promise<void>;
  run: (stage: AdvanceStage) => Promise<Strike[]>;
  /** The way to models is struck: agents may be absent, as they are told to be. */
  mayMissAgents?: true;
};

/** What a dead process had sent has arrived by then, and what it had not never will. */
const SETTLE_MS = 300;
const WRITE_LIMIT_MS = 60_000;
/** Of calls whose order does not matter, so that some are under way whenever it is. */
const DELAY_MS = 250;
const POLL_MS = 20;

/** The council of the second scenario answers once that of the first is kept. */
const takeTurns: AdvanceRound['toPace'] =
  ({ watch, begun }) =>
  async ({ scenario }) => {
    if (scenario !== 'Bust') return;
    await watch.whenStored((one) => isCouncilOf(one, 'Calm', begun));
  };

/** By time, for rounds in which nobody can watch. */
const takeTime: AdvanceRound['toPace'] =
  () =>
  ({ name }) =>
    pause(DELAY_MS * (1 + NAMES.findIndex((one) => one === name)));

const isCouncilOf = (
  { kind, scenarioId }: Write,
  name: string,
  { scenarios }: AdvanceStage['begun'],
): boolean => kind === 'council' && scenarios.get(scenarioId) === name;

/** Nothing happens. */
export const undisturbed: AdvanceRound = {
  name: 'undisturbed',
  toPace: takeTurns,
  run: async () => [],
};

/** `kill -9` of simulation after each write, and before each but the first; then of all others. */
export const ROUNDS: readonly AdvanceRound[] = [
  killAfter('the lease', ({ kind }) => kind === 'hold'),
  killAfter('the first council', (one, begun) => isCouncilOf(one, 'Calm', begun)),
  killAfter('the last council', (one, begun) => isCouncilOf(one, 'Bust', begun)),
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

type Fits = (write: Write, begun: AdvanceStage['begun']) => boolean;

function killAfter(what: string, fits: Fits): AdvanceRound {
  return {
    name: `kill simulation after ${what}`,
    toPace: takeTurns,
    run: async (stage) => [await killAt(stage, fits)],
  };
}

/** As late as can be: all that comes before the write is done, and it is about to be committed. */
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
      const unkept = lostReport(callsOf(), false);
      await watch.release();
      await untilBack(system, before.pids, 'simulation');
      return [{ unkept, repeats: 'exactly' }];
    },
  };
}

/** In the hands of two processes, one after the other. */
function killTwice(): AdvanceRound {
  return {
    name: 'kill simulation twice',
    toPace: takeTurns,
    run: async (stage) => [
      await killAt(stage, (one, begun) => isCouncilOf(one, 'Calm', begun)),
      await killAt(stage, ({ kind }) => kind === 'turn'),
    ],
  };
}

const killAt = async (
  { watch, system, begun, callsOf }: AdvanceStage,
  fits: Fits,
): Promise<Strike> => {
  const before = await system.readFile();
  const fire = await system.aim(['simulation'], 'SIGKILL');
  await within(watch.whenStored((one) => fits(one, begun)));
  fire();
  await pause(SETTLE_MS);
  const isReported = watch.seen().some(({ kind }) => kind === 'report');
  const unkept = lostReport(callsOf(), isReported);
  await untilBack(system, before.pids, 'simulation');
  return { unkept, repeats: 'exactly' };
};

/** Panels are the agents service's and go on; what its author wrote dies with the process. */
const lostReport = (keys: readonly string[], isReported: boolean): string[] =>
  keys.includes('report') && !isReported ? ['report'] : [];

/** While councils decide. */
function strike(name: string, victim: Victim, signal: FaultSignal): AdvanceRound {
  return {
    name,
    ...(victim === 'llm-gateway' || victim === 'ledger' ? { mayMissAgents: true } : {}),
    toPace: takeTime,
    run: async (stage) => {
      const { watch, system, callsOf } = stage;
      const before = await system.readFile();
      const fire = await system.aim([victim], signal);
      await within(watch.whenStored(({ kind }) => kind === 'hold'));
      // From now on some call of an agent is under way.
      while (callsOf().length === 0) await pause(POLL_MS);
      fire();
      await pause(SETTLE_MS);
      const unkept = [...new Set(callsOf())];
      await untilBack(system, before.pids, victim);
      return [{ unkept, repeats: 'at most' }];
    },
  };
}

const within = async (awaited: Promise<unknown>): Promise<void> => {
  const late = pause(WRITE_LIMIT_MS, 'late', { ref: false });
  if ((await Promise.race([awaited.then(() => 'there'), late])) === 'late') {
    throw new Error('An advance never came to what it was to be struck at.');
  }
};
