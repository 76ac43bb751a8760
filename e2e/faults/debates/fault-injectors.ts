import { setTimeout as pause } from 'node:timers/promises';
import { openReplica } from '../open-replica.ts';
import type { FaultTarget } from '../open-running-system.ts';
import { AGENT_NAMES } from './scripted-council.ts';
import type { Step, StepWatch } from './open-step-watch.ts';
import { hashRows, untilEnded } from './read-debate.ts';
import type { FaultInjector, RunningDebate } from './run-debate.ts';

/** Time within which requests that a killed process has sent still arrive, in milliseconds. */
const ARRIVAL_WAIT_MS = 300;
/**
 * Time in which a resumed process could still write: longer than a provider call, a lease renewal
 * and a poll.
 */
const RESUMED_WAIT_MS = 3_000;
/**
 * Delay between two agents' answers, so that some model calls are in flight when the fault is
 * injected.
 */
const DELAY_MS = 250;
const REPLICA_LIMIT_MS = 60_000;
/**
 * Time limit of a debate's step; longer than all leases of a debate whose process is killed
 * repeatedly.
 */
const STEP_LIMIT_MS = 60_000;
/** Time limit of a restart; longer than two starts of a service on a busy machine. */
const RESTART_LIMIT_MS = 120_000;
const POLL_MS = 20;

/** Returns a pace that delays each agent's answer until the previous agent's answer is stored. */
const createPaceByWrites: FaultInjector['createPace'] = (watch, ids) => async (call) => {
  const before = AGENT_NAMES.filter((name) => call.kind === 'agent' && name < call.name);
  const isStored = (name: string) => (step: Step) =>
    step.kind === 'agent-completed' && step.round === call.round && step.agentId === ids.get(name);
  await Promise.all(before.map((name) => watch.whenCommitted(isStored(name))));
};

/**
 * Returns a pace that gives each agent a longer delay than the previous one. Used where the fault
 * may kill the database, because its writes cannot be observed then.
 */
const createPaceByDelay: FaultInjector['createPace'] = () => (call) =>
  pause(DELAY_MS * (1 + AGENT_NAMES.findIndex((name) => name === call.name)));

export const noFault: FaultInjector = {
  createPace: createPaceByWrites,
  run: async ({ watch }) => {
    await untilStepStored(watch, ({ kind }) => kind === 'done');
    return { injectedFaults: [], at: Date.now() };
  },
};

/**
 * Returns a fault that kills the process running the debate when step `seq` is stored. With
 * `isNextBlocked` the kill happens as late as possible: just before the process commits the next
 * step.
 */
export const killAfter = (
  seq: number,
  { isNextBlocked }: { isNextBlocked: boolean },
): FaultInjector => ({
  createPace: createPaceByWrites,
  prepare: async (watch) => isNextBlocked && (await watch.block(seq)),
  run: async (runningDebate) => {
    const { at, ...injectedFault } = await kill(runningDebate, seq, isNextBlocked);
    return { injectedFaults: [injectedFault], at };
  },
});

/**
 * Returns a fault that kills the process running the debate after each of these steps is stored.
 */
export const killAfterEach = (seqs: readonly number[]): FaultInjector => ({
  createPace: createPaceByWrites,
  run: async (runningDebate) => {
    const injectedFaults = [];
    for (const seq of seqs) injectedFaults.push(await kill(runningDebate, seq, false));
    return { injectedFaults, at: injectedFaults.at(-1)!.at };
  },
});

const kill = async (
  { watch, system, findUnstoredCalls }: RunningDebate,
  seq: number,
  isNextBlocked: boolean,
) => {
  const before = await system.readFile();
  const sendSignal = await system.prepareSignal(['agents'], 'SIGKILL');
  await untilStepStored(watch, (step) => step.seq === seq);
  if (isNextBlocked) await watch.whenBlocked();
  const at = sendSignal();
  await pause(ARRIVAL_WAIT_MS);
  const injectedFault = { unstoredCalls: findUnstoredCalls(), repeats: 'exactly' as const, at };
  if (isNextBlocked) await watch.unblock();
  await untilReplaced(system, before.pids, 'agents');
  return injectedFault;
};

const untilStepStored = async (
  watch: StepWatch,
  matches: (step: Step) => boolean,
): Promise<void> => {
  const stored = await Promise.race([
    watch.whenCommitted(matches),
    pause(STEP_LIMIT_MS, undefined, { ref: false }),
  ]);
  if (!stored) throw new Error('The debate did not reach the step at which the fault is injected.');
};

/**
 * Resolves when a signalled process has been replaced, because the next signal needs the new pid.
 */
export const untilReplaced = async (
  system: Pick<RunningDebate['system'], 'readFile'>,
  before: Readonly<Record<string, number>>,
  target: FaultTarget,
): Promise<void> => {
  for (const deadline = Date.now() + RESTART_LIMIT_MS; Date.now() < deadline;) {
    if ((await system.readFile()).pids[target] !== before[target]) return;
    await pause(POLL_MS);
  }
  throw new Error(`${target} was not restarted within its time limit.`);
};

/**
 * Returns a fault that sends SIGTERM: the process releases its lease on the debate, and another
 * process acquires it immediately.
 */
export const stopAfter = (seq: number): FaultInjector => ({
  createPace: createPaceByWrites,
  run: async ({ watch, system, findUnstoredCalls }) => {
    const before = await system.readFile();
    const sendSignal = await system.prepareSignal(['agents'], 'SIGTERM');
    await untilStepStored(watch, (step) => step.seq === seq);
    const at = sendSignal();
    await pause(ARRIVAL_WAIT_MS);
    const injectedFault = { unstoredCalls: findUnstoredCalls(), repeats: 'at most' as const };
    await untilReplaced(system, before.pids, 'agents');
    return { injectedFaults: [injectedFault], at };
  },
});

/** Returns a fault that kills a service on which the debate depends, while calls are in flight. */
export const killDependency = (target: FaultTarget, seq: number): FaultInjector => ({
  createPace: createPaceByDelay,
  run: async ({ watch, system, findUnstoredCalls }) => {
    const before = await system.readFile();
    const sendSignal = await system.prepareSignal([target], 'SIGKILL');
    await untilStepStored(watch, (step) => step.seq === seq);
    const at = sendSignal();
    const injectedFault = { unstoredCalls: findUnstoredCalls(), repeats: 'at most' as const };
    await untilReplaced(system, before.pids, target);
    return { injectedFaults: [injectedFault], at };
  },
});

/**
 * Returns a fault that freezes the process running the debate for longer than its lease, while a
 * second replica completes the debate. The resumed process must neither write nor call a model.
 * With `isWriting` the process is frozen during a write, which the database completes.
 */
export const freezeAfter = (seq: number, { isWriting }: { isWriting: boolean }): FaultInjector => {
  let replica: Replica | undefined;
  return {
    createPace: createPaceByWrites,
    prepare: async (watch, system) => {
      replica = await openReplica('agents', await system.readFile());
      if (isWriting) await watch.block(seq);
    },
    run: async (runningDebate) => {
      const { watch, system, findUnstoredCalls } = runningDebate;
      try {
        const sendSignal = await system.prepareSignal(['agents'], 'SIGSTOP');
        await untilStepStored(watch, (step) => step.seq === seq);
        if (isWriting) await watch.whenBlocked();
        const at = sendSignal();
        await pause(ARRIVAL_WAIT_MS);
        if (isWriting) {
          await watch.unblock({ isAlive: true });
          await pause(ARRIVAL_WAIT_MS);
        }
        const unstoredCalls = findUnstoredCalls();
        const violations = await resumeAndFindWrites(runningDebate);
        return { injectedFaults: [{ unstoredCalls, repeats: 'exactly' }], at, violations };
      } finally {
        await system.signal(['agents'], 'SIGCONT');
        await replica?.stop();
      }
    },
  };
};

type Replica = Awaited<ReturnType<typeof openReplica>>;

const resumeAndFindWrites = async ({
  system,
  databaseUrl,
  conversationId,
  council,
}: RunningDebate): Promise<string[]> => {
  const ended = await untilEnded(databaseUrl, conversationId, REPLICA_LIMIT_MS);
  if (!ended) return ['the second replica did not complete the debate'];
  const rows = await hashRows(databaseUrl, ended.id);
  const calls = council.calls.length;
  await system.signal(['agents'], 'SIGCONT');
  await pause(RESUMED_WAIT_MS);
  const extraCalls = council.calls.length - calls;
  return [
    ...((await hashRows(databaseUrl, ended.id)) === rows
      ? []
      : ['the resumed process wrote to the database']),
    ...(extraCalls === 0 ? [] : [`the resumed process made ${extraCalls} calls`]),
  ];
};
