import { setTimeout as pause } from 'node:timers/promises';
import { openReplica } from '../open-replica.ts';
import type { Victim } from '../open-running-system.ts';
import { NAMES } from './council.ts';
import type { Step, StepWatch } from './open-step-watch.ts';
import { readRows, untilEnded } from './read-debate.ts';
import type { Disturbance, Stage } from './run-debate.ts';

/** What a dead process had sent has arrived by then, and what it had not never will. */
const SETTLE_MS = 300;
/** Longer than a provider call, a lease and a look. */
const THAWED_MS = 3_000;
/** Of calls whose order does not matter, so that some are under way whenever it is. */
const DELAY_MS = 250;
const TAKEN_UP_LIMIT_MS = 60_000;
/** Beyond all leases of a debate that is killed time and again. */
const STEP_LIMIT_MS = 60_000;
/** On a machine that others keep busy a service takes its time to start, and may have to twice. */
const RESTART_LIMIT_MS = 120_000;
const POLL_MS = 20;

/** Members of a round answer one after the other, each when the one before is kept. */
const takeTurns: Disturbance['toPace'] = (watch, ids) => async (call) => {
  const before = NAMES.filter((name) => call.kind === 'agent' && name < call.name);
  const isKept = (name: string) => (step: Step) =>
    step.kind === 'agent-completed' && step.round === call.round && step.agentId === ids.get(name);
  await Promise.all(before.map((name) => watch.whenStored(isKept(name))));
};

/** The same by time, for rounds in which nobody can watch. */
const takeTime: Disturbance['toPace'] = () => (call) =>
  pause(DELAY_MS * (1 + NAMES.findIndex((name) => name === call.name)));

/** Nothing happens. */
export const undisturbed: Disturbance = {
  toPace: takeTurns,
  run: async ({ watch }) => {
    await untilStored(watch, ({ kind }) => kind === 'done');
    return { strikes: [], at: Date.now() };
  },
};

/**
 * kill -9 of the holder when a step is stored: at once; or, with `isNextHeld`, as late as can be,
 * when it has done all that comes before the next step and is about to commit that.
 */
export const killAfter = (seq: number, { isNextHeld }: { isNextHeld: boolean }): Disturbance => ({
  toPace: takeTurns,
  prepare: async (watch) => isNextHeld && (await watch.hold(seq)),
  run: async (stage) => {
    const { at, ...strike } = await kill(stage, seq, isNextHeld);
    return { strikes: [strike], at };
  },
});

/** One after the other, each time in the hands of another process. */
export const killAfterEach = (seqs: readonly number[]): Disturbance => ({
  toPace: takeTurns,
  run: async (stage) => {
    const strikes = [];
    for (const seq of seqs) strikes.push(await kill(stage, seq, false));
    return { strikes, at: strikes.at(-1)!.at };
  },
});

const kill = async ({ watch, system, findUnkept }: Stage, seq: number, isNextHeld: boolean) => {
  const before = await system.readFile();
  const fire = await system.aim(['agents'], 'SIGKILL');
  await untilStored(watch, (step) => step.seq === seq);
  if (isNextHeld) await watch.whenHeld();
  const at = fire();
  await pause(SETTLE_MS);
  const strike = { unkept: findUnkept(), repeats: 'exactly' as const, at };
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

/** The next strike reads the pid again: it must be the new one's. */
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

/** SIGTERM: the holder gives the debate back, and who comes next takes it at once. */
export const stopAfter = (seq: number): Disturbance => ({
  toPace: takeTurns,
  run: async ({ watch, system, findUnkept }) => {
    const before = await system.readFile();
    const fire = await system.aim(['agents'], 'SIGTERM');
    await untilStored(watch, (step) => step.seq === seq);
    const at = fire();
    await pause(SETTLE_MS);
    const strike = { unkept: findUnkept(), repeats: 'at most' as const };
    await untilBack(system, before.pids, 'agents');
    return { strikes: [strike], at };
  },
});

/** kill -9 of what a debate stands on, while calls are under way. */
export const killUnder = (victim: Victim, seq: number): Disturbance => ({
  toPace: takeTime,
  run: async ({ watch, system, findUnkept }) => {
    const before = await system.readFile();
    const fire = await system.aim([victim], 'SIGKILL');
    await untilStored(watch, (step) => step.seq === seq);
    const at = fire();
    const strike = { unkept: findUnkept(), repeats: 'at most' as const };
    await untilBack(system, before.pids, victim);
    return { strikes: [strike], at };
  },
});

/**
 * SIGSTOP of the holder beyond its lease, beside a second replica that takes the debate up and ends
 * it; then the frozen one wakes, and must neither write nor call. With `isWriting` it freezes while
 * the database writes for it, which ends that by itself.
 */
export const freezeAfter = (seq: number, { isWriting }: { isWriting: boolean }): Disturbance => {
  let replica: Replica | undefined;
  return {
    toPace: takeTurns,
    prepare: async (watch, system) => {
      replica = await openReplica('agents', await system.readFile());
      if (isWriting) await watch.hold(seq);
    },
    run: async (stage) => {
      const { watch, system, findUnkept } = stage;
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
        const unkept = findUnkept();
        const violations = await thawAfterwards(stage);
        return { strikes: [{ unkept, repeats: 'exactly' }], at, violations };
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
  await pause(THAWED_MS);
  const more = council.calls.length - calls;
  return [
    ...((await readRows(databaseUrl, ended.id)) === rows ? [] : ['the frozen one wrote']),
    ...(more === 0 ? [] : [`the frozen one made ${more} calls`]),
  ];
};
