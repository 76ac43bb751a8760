import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openReplica } from '../open-replica.ts';
import type { FaultSystem, FaultTarget } from '../open-running-system.ts';
import type { EventFault } from './run-event-fault.ts';

const PAUSE_MIN_MS = 300;
const PAUSE_MAX_MS = 1_500;
/** Approximate maximum time from the arrival of a POST until its response is committed. */
const RESPONSE_COMMIT_MAX_MS = 80;
const RESTART_LIMIT_MS = 30_000;
const POLL_MS = 20;
/**
 * Longer than the lease of a delivery attempt (15 s), so that another process acquires the
 * delivery.
 */
const LONGER_THAN_LEASE_MS = 20_000;

type InjectFault = EventFault['injectFault'];

/**
 * Returns a fault that kills the processes `times` times at random moments, each time after they
 * have restarted.
 */
const killRepeatedly =
  (targets: readonly FaultTarget[], times: number): InjectFault =>
  async ({ system, random }) => {
    for (let time = 0; time < times; time += 1) {
      await pause(random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS));
      await signalAndAwaitRestart(system, targets, 'SIGKILL');
    }
  };

/**
 * Returns a fault that kills a process at a random moment after a POST arrived: before the
 * response, during it, or around the commit of its result.
 */
const killAfterPosts =
  (target: FaultTarget, times: number): InjectFault =>
  async ({ system, random, receivers }) => {
    for (let time = 0; time < times; time += 1) {
      await pause(random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS));
      await receivers.whenReceived();
      await pause(random.integer(0, RESPONSE_COMMIT_MAX_MS));
      await signalAndAwaitRestart(system, [target], 'SIGKILL');
    }
  };

/**
 * Returns a fault that kills the emitter around the commit of an event or after a POST of its
 * webhook.
 */
const killEmitter =
  (moment: 'commit' | 'post', times: number): InjectFault =>
  async ({ emitter, random, receivers, load }) => {
    for (let time = 0; time < times; time += 1) {
      await pause(random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS));
      await (moment === 'commit' ? load.whenCommitted() : receivers.whenReceived());
      // An event is published to NATS about a millisecond after its commit.
      if (moment === 'commit' && random.next() < 0.5) await pause(random.integer(1, 4));
      emitter.kill();
      await load.whenCommitted();
    }
  };

const freeze =
  (target: FaultTarget, ms: number): InjectFault =>
  async ({ system }) => {
    await system.signal([target], 'SIGSTOP');
    await pause(ms);
    await system.signal([target], 'SIGCONT');
  };

const withReplica =
  (injectFault: InjectFault): InjectFault =>
  async (context) => {
    const replica = await openReplica('notifier', await context.system.readFile());
    try {
      await injectFault(context);
      await pause(PAUSE_MAX_MS);
    } finally {
      await replica.stop();
    }
  };

/** Signals processes and waits until all of them have been restarted. */
const signalAndAwaitRestart = async (
  system: FaultSystem,
  targets: readonly FaultTarget[],
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<void> => {
  const { pids: before } = await system.readFile();
  await system.signal(targets, signal);
  const deadline = Date.now() + RESTART_LIMIT_MS;
  for (;;) {
    const { pids } = await system.readFile();
    if (targets.every((target) => pids[target] !== before[target])) return;
    if (Date.now() > deadline)
      throw new Error(`${targets.join(', ')} did not restart within the time limit.`);
    await pause(POLL_MS);
  }
};

const NATS_KILLS = 12;
const NATS_EVERY_MS = 5_000;

/** Kills NATS every 5 s for a minute. */
const killNatsForAMinute: InjectFault = async ({ system }) => {
  for (let time = 0; time < NATS_KILLS; time += 1) {
    const next = pause(NATS_EVERY_MS);
    await signalAndAwaitRestart(system, ['nats'], 'SIGKILL');
    await next;
  }
};

/** Deletes the data of NATS (streams, unread messages and consumers) twice. */
const deleteNatsData: InjectFault = async ({ system, home, random }) => {
  for (let time = 0; time < 2; time += 1) {
    await pause(random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS));
    const { pids } = await system.readFile();
    await system.signal(['notifier'], 'SIGSTOP');
    // Meanwhile events are published but not consumed, because the notifier is frozen.
    await pause(PAUSE_MIN_MS);
    const killed = signalAndAwaitRestart(system, ['nats'], 'SIGKILL');
    while (isRunning(pids.nats!)) await pause(1);
    rmSync(join(home, 'nats', 'store'), { recursive: true, force: true });
    await killed;
    await system.signal(['notifier'], 'SIGCONT');
    await pause(PAUSE_MAX_MS);
  }
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/**
 * All faults, in the order in which they are injected. `crashes` is the number of crashes and
 * freezes of the notifier and of crashes of the database. Each may cause one extra POST per
 * delivery: leases are committed without waiting for the disk (0002-turns.ts), so a database crash
 * may lose one.
 */
export const EVENT_FAULTS: readonly EventFault[] = [
  { name: 'events, undisturbed', crashes: 0, injectFault: () => pause(3_000) },
  { name: 'events, kill notifier', crashes: 4, injectFault: killRepeatedly(['notifier'], 4) },
  {
    name: 'events, kill notifier after a POST',
    crashes: 6,
    injectFault: killAfterPosts('notifier', 6),
  },
  {
    name: 'events, kill notifier with a replica',
    crashes: 4,
    injectFault: withReplica(killAfterPosts('notifier', 4)),
  },
  {
    name: 'events, freeze notifier with a replica',
    crashes: 1,
    injectFault: withReplica(freeze('notifier', LONGER_THAN_LEASE_MS)),
  },
  {
    name: 'events, stop notifier',
    crashes: 0,
    injectFault: async ({ system }) => {
      await signalAndAwaitRestart(system, ['notifier'], 'SIGTERM');
      await signalAndAwaitRestart(system, ['notifier'], 'SIGTERM');
    },
  },
  {
    name: 'events, kill emitter after a commit',
    crashes: 0,
    injectFault: killEmitter('commit', 8),
  },
  { name: 'events, kill emitter after a POST', crashes: 0, injectFault: killEmitter('post', 6) },
  { name: 'events, kill nats for a minute', crashes: 0, injectFault: killNatsForAMinute },
  { name: 'events, wipe nats', crashes: 2, injectFault: deleteNatsData },
  { name: 'events, kill postgres', crashes: 3, injectFault: killRepeatedly(['postgres'], 3) },
  { name: 'events, freeze postgres 5 s', crashes: 0, injectFault: freeze('postgres', 5_000) },
  { name: 'events, freeze postgres 30 s', crashes: 0, injectFault: freeze('postgres', 30_000) },
  {
    name: 'events, kill notifier and postgres',
    crashes: 2,
    injectFault: killRepeatedly(['notifier', 'postgres'], 2),
  },
  {
    name: 'events, kill notifier, postgres and nats',
    crashes: 2,
    injectFault: killRepeatedly(['notifier', 'postgres', 'nats'], 2),
  },
];
