import { setTimeout as pause } from 'node:timers/promises';
import { openReplica } from '../open-replica.ts';
import type { Victim } from '../open-running-system.ts';
import { NAMES } from './council.ts';
import type { Step, StepWatch } from './open-step-watch.ts';
import { readRows, untilEnded } from './read-debate.ts';
import type { Disturbance, Stage } from './run-debate.ts';

/** Time for bytes that a killed process has already sent to arrive. */
const SETTLE_MS = 300;
/**
 * Time in which a resumed process could still write: a provider call, a lease renewal and a poll.
 */
const RESUMED_WAIT_MS = 3_000;
/** Delay of model calls in faults that may strike at any call, so that some calls are in flight. */
const DELAY_MS = 250;
const TAKEN_UP_LIMIT_MS = 60_000;
/** Exceeds all leases of a debate whose process is killed repeatedly. */
const STEP_LIMIT_MS = 60_000;
/** Exceeds two starts of a service on a busy machine. */
const RESTART_LIMIT_MS = 120_000;
const POLL_MS = 20;

/**
 * Returns a pace at which agents answer one by one, each after the previous agent's answer is
 * stored.
 */
const paceByWrites: Disturbance['toPace'] = (watch, ids) => async (call) => {
  const before = NAMES.filter((name) => call.kind === 'agent' && name < call.name);
  const isStored = (name: string) => (step: Step) =>
    step.kind === 'agent-completed' && step.round === call.round && step.agentId === ids.get(name);
  await Promise.all(before.map((name) => watch.whenStored(isStored(name))));
};

/**
 * Returns a pace that orders agents by delays. Used where the fault may kill the database, because
 * then no steps can be observed.
 */
const paceByDelay: Disturbance['toPace'] = () => (call) =>
  pause(DELAY_MS * (1 + NAMES.findIndex((name) => name === call.name)));

export const undisturbed: Disturbance = {
  toPace: paceByWrites,
  run: async ({ watch }) => {
    await untilStored(watch, ({ kind }) => kind === 'done');
    return { strikes: [], at: Date.now() };
  },
};

/**
 * Returns a fault that kills the process running the debate when step `seq` is stored; with
 * `isNextHeld` as late as possible, just before it commits the next step.
 */
export const killAfter = (seq: number, { isNextHeld }: { isNextHeld: boolean }): Disturbance => ({
  toPace: paceByWrites,
  prepare: async (watch) => isNextHeld && (await watch.hold(seq)),
  run: async (stage) => {
    const { at, ...strike } = await kill(stage, seq, isNextHeld);
    return { strikes: [strike], at };
  },
});

/** Returns a fault that kills the process running the debate after each of these steps. */
export const killAfterEach = (seqs: readonly number[]): Disturbance => ({
  toPace: paceByWrites,
  run: async (stage) => {
    const strikes = [];
    for (const seq of seqs) strikes.push(await kill(stage, seq, false));
    return { strikes, at: strikes.at(-1)!.at };
  },
});

const kill = async ({ watch, system, findUnstored }: Stage, seq: number, isNextHeld: boolean) => {
  const before = await system.readFile();
  const fire = await system.aim(['agents'], 'SIGKILL');
  await untilStored(watch, (step) => step.seq === seq);
  if (isNextHeld) await watch.whenHeld();
  const at = fire();
  await pause(SETTLE_MS);
  const strike = { unstored: findUnstored(), repeats: 'exactly' as const, at };
  if (isNextHeld) await watch.release();
  await untilBack(system, before.pids, 'agents');
  return strike;
};

const untilStored = async (watch: StepWatch, fits: (step: Step) => boolean): Promise<void> => {
  const stored = await Promise.race([
    watch.whenStored(fits),
    pause(STEP_LIMIT_MS, undefined, { ref: false }),
  ]);
  if (!stored) throw new Error('A debate never came to the step that it was to be struck at.');
};

/** Resolves when a signalled process has been replaced, whose new pid the next signal needs. */
export const untilBack = async (
  system: Pick<Stage['system'], 'readFile'>,
  before: Readonly<Record<string, number>>,
  victim: Victim,
): Promise<void> => {
  for (const deadline = Date.now() + RESTART_LIMIT_MS; Date.now() < deadline;) {
    if ((await system.readFile()).pids[victim] !== before[victim]) return;
    await pause(POLL_MS);
  }
  throw new Error(`${victim} was not started again.`);
};

/**
 * Returns a fault that sends SIGTERM: the process releases the debate, and another one leases it
 * immediately.
 */
export const stopAfter = (seq: number): Disturbance => ({
  toPace: paceByWrites,
  run: async ({ watch, system, findUnstored }) => {
    const before = await system.readFile();
    const fire = await system.aim(['agents'], 'SIGTERM');
    await untilStored(watch, (step) => step.seq === seq);
    const at = fire();
    await pause(SETTLE_MS);
    const strike = { unstored: findUnstored(), repeats: 'at most' as const };
    await untilBack(system, before.pids, 'agents');
    return { strikes: [strike], at };
  },
});

/** Returns a fault that kills a service on which the debate depends, while calls are in flight. */
export const killUnder = (victim: Victim, seq: number): Disturbance => ({
  toPace: paceByDelay,
  run: async ({ watch, system, findUnstored }) => {
    const before = await system.readFile();
    const fire = await system.aim([victim], 'SIGKILL');
    await untilStored(watch, (step) => step.seq === seq);
    const at = fire();
    const strike = { unstored: findUnstored(), repeats: 'at most' as const };
    await untilBack(system, before.pids, victim);
    return { strikes: [strike], at };
  },
});

/**
 * Returns a fault that freezes the process running the debate for longer than its lease, while a
 * second replica completes the debate. After waking, the first one must neither write nor call a
 * model. With `isWriting` it is frozen during a write, which the database completes.
 */
export const freezeAfter = (seq: number, { isWriting }: { isWriting: boolean }): Disturbance => {
  let replica: Replica | undefined;
  return {
    toPace: paceByWrites,
    prepare: async (watch, system) => {
      replica = await openReplica('agents', await system.readFile());
      if (isWriting) await watch.hold(seq);
    },
    run: async (stage) => {
      const { watch, system, findUnstored } = stage;
      try {
        const fire = await system.aim(['agents'], 'SIGSTOP');
        await untilStored(watch, (step) => step.seq === seq);
        if (isWriting) await watch.whenHeld();
        const at = fire();
        await pause(SETTLE_MS);
        if (isWriting) {
          await watch.release({ isAlive: true });
          await pause(SETTLE_MS);
        }
        const unstored = findUnstored();
        const violations = await thawAfterwards(stage);
        return { strikes: [{ unstored, repeats: 'exactly' }], at, violations };
      } finally {
        await system.signal(['agents'], 'SIGCONT');
        await replica?.stop();
      }
    },
  };
};

type Replica = Awaited<ReturnType<typeof openReplica>>;

const thawAfterwards = async ({
  system,
  databaseUrl,
  conversationId,
  council,
}: Stage): Promise<string[]> => {
  const ended = await untilEnded(databaseUrl, conversationId, TAKEN_UP_LIMIT_MS);
  if (!ended) return ['the second replica did not end it'];
  const rows = await readRows(databaseUrl, ended.id);
  const calls = council.calls.length;
  await system.signal(['agents'], 'SIGCONT');
  await pause(RESUMED_WAIT_MS);
  const more = council.calls.length - calls;
  return [
    ...((await readRows(databaseUrl, ended.id)) === rows ? [] : ['the frozen one wrote']),
    ...(more === 0 ? [] : [`the frozen one made ${more} calls`]),
  ];
};
