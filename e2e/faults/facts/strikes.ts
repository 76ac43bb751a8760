import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultTarget } from '../open-running-system.ts';
import { openReplica } from '../open-service.ts';
import { freeze, strikeAndRestart } from '../strike.ts';
import { until } from '../until.ts';
import type { EventBench } from './bench.ts';
import type { EventLoad } from './drive-events.ts';

/** A disturbance while events are emitted. */
export type EventStrike = {
  name: string;
  /** Number of crashes; each may cause one extra POST of a delivery in flight. */
  crashes: number;
  inject: (bench: EventBench & { load: EventLoad }) => Promise<unknown>;
};

type Inject = EventStrike['inject'];

const PAUSE_MIN_MS = 300;
const PAUSE_MAX_MS = 1_500;
/** Approximate maximum time from the arrival of a POST until its response is committed. */
const RESPONSE_COMMIT_MAX_MS = 80;
/**
 * Longer than the lease of a delivery attempt (15 s), so that another process acquires the
 * delivery.
 */
const LONGER_THAN_LEASE_MS = 20_000;

/** Injects a disturbance `times` times, each after a random pause. */
const repeat =
  (times: number, inject: Inject): Inject =>
  async (bench) => {
    for (let time = 0; time < times; time += 1) {
      await pause(bench.random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS));
      await inject(bench);
    }
  };

const kill =
  (...targets: FaultTarget[]): Inject =>
  ({ system }) =>
    strikeAndRestart(system, { targets, signal: 'SIGKILL' });

/** Kills the notifier after a POST arrived: before, during or after the commit of its result. */
const killNotifierAfterPost: Inject = ({ system, random, receivers }) =>
  strikeAndRestart(system, { targets: ['notifier'], signal: 'SIGKILL' }, async () => {
    await receivers.whenReceived();
    await pause(random.integer(0, RESPONSE_COMMIT_MAX_MS));
  });

/** Kills the emitter around the commit of an event or after a POST of its webhook. */
const killEmitter =
  (moment: 'commit' | 'post'): Inject =>
  async ({ emitter, random, receivers, load }) => {
    await (moment === 'commit' ? load.whenCommitted() : receivers.whenReceived());
    // An event is published to NATS about a millisecond after its commit.
    if (moment === 'commit' && random.next() < 0.5) await pause(random.integer(1, 4));
    emitter.kill();
    await load.whenCommitted();
  };

/** Approximate maximum time from the commit of an event until it is marked as handled. */
const HANDLED_MAX_MS = 20;

const withReplica =
  (inject: Inject): Inject =>
  async (bench) => {
    const replica = await openReplica('notifier', await bench.system.readFile(), bench.home);
    try {
      await inject(bench);
      await pause(PAUSE_MAX_MS);
    } finally {
      await replica.stop();
    }
  };

const NATS_KILLS = 12;
const NATS_EVERY_MS = 5_000;

const killNatsForAMinute: Inject = async (bench) => {
  for (let time = 0; time < NATS_KILLS; time += 1) {
    await Promise.all([kill('nats')(bench), pause(NATS_EVERY_MS)]);
  }
};

/** Time in which a killed process must be gone, in milliseconds. */
const GONE_LIMIT_MS = 10_000;

/** Deletes the data of NATS: streams, unread messages and consumers. */
const deleteNatsData: Inject = async (bench) => {
  const { system, home } = bench;
  const { pids } = await system.readFile();
  await system.signal(['notifier'], 'SIGSTOP');
  // Meanwhile events are published but not consumed, because the notifier is frozen.
  await pause(PAUSE_MIN_MS);
  const killed = kill('nats')(bench);
  await until(GONE_LIMIT_MS, () => !isRunning(pids['nats']!), 1);
  rmSync(join(home, 'nats', 'store'), { recursive: true, force: true });
  await killed;
  await system.signal(['notifier'], 'SIGCONT');
  await pause(PAUSE_MAX_MS);
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    // The process has ended.
    return false;
  }
};

const toStrike = (name: string, crashes: number, inject: Inject): EventStrike => ({
  name: `events, ${name}`,
  crashes,
  inject,
});

/**
 * All strikes, in their order, each with its number of crashes and freezes of the notifier and
 * crashes of the database. Each may cause one extra POST per delivery: leases are committed without
 * waiting for the disk, so a database crash may lose one.
 */
export const EVENT_STRIKES: readonly EventStrike[] = [
  toStrike('undisturbed', 0, () => pause(3_000)),
  toStrike('kill notifier', 4, repeat(4, kill('notifier'))),
  toStrike('kill notifier after a POST', 6, repeat(6, killNotifierAfterPost)),
  toStrike('kill notifier with a replica', 4, withReplica(repeat(4, killNotifierAfterPost))),
  toStrike(
    'freeze notifier with a replica',
    1,
    withReplica(({ system }) => freeze(system, 'notifier', LONGER_THAN_LEASE_MS)),
  ),
  toStrike('stop notifier', 0, async ({ system }) => {
    await strikeAndRestart(system, { targets: ['notifier'], signal: 'SIGTERM' });
    await strikeAndRestart(system, { targets: ['notifier'], signal: 'SIGTERM' });
  }),
  toStrike('kill emitter after a commit', 0, repeat(8, killEmitter('commit'))),
  toStrike('kill emitter after a POST', 0, repeat(6, killEmitter('post'))),
  toStrike('kill nats for a minute', 0, killNatsForAMinute),
  toStrike('wipe nats', 2, repeat(2, deleteNatsData)),
  toStrike('kill postgres', 3, repeat(3, kill('postgres'))),
  toStrike('freeze postgres 5 s', 0, ({ system }) => freeze(system, 'postgres', 5_000)),
  toStrike('freeze postgres 30 s', 0, ({ system }) => freeze(system, 'postgres', 30_000)),
  toStrike('kill notifier and postgres', 2, repeat(2, kill('notifier', 'postgres'))),
  toStrike('kill notifier, postgres and nats', 2, repeat(2, kill('notifier', 'postgres', 'nats'))),
];

/** Kills the process around the commit of an event, before or after its delivery. */
const killProcessAfterCommit: Inject = ({ system, random, load }) =>
  strikeAndRestart(system, { targets: ['notifier'], signal: 'SIGKILL' }, async () => {
    await load.whenCommitted();
    await pause(random.integer(0, HANDLED_MAX_MS));
  });

/** All strikes on a system in one process; a signal to its notifier is one to the process. */
export const PROCESS_STRIKES: readonly EventStrike[] = [
  toStrike('undisturbed', 0, () => pause(3_000)),
  toStrike('kill the process', 4, repeat(4, kill('notifier'))),
  toStrike('kill the process after a commit', 6, repeat(6, killProcessAfterCommit)),
  toStrike('kill the process after a POST', 6, repeat(6, killNotifierAfterPost)),
  toStrike('stop the process', 0, async ({ system }) => {
    await strikeAndRestart(system, { targets: ['notifier'], signal: 'SIGTERM' });
    await strikeAndRestart(system, { targets: ['notifier'], signal: 'SIGTERM' });
  }),
  toStrike('kill postgres', 3, repeat(3, kill('postgres'))),
  toStrike('freeze postgres 5 s', 0, ({ system }) => freeze(system, 'postgres', 5_000)),
  toStrike('freeze postgres 30 s', 0, ({ system }) => freeze(system, 'postgres', 30_000)),
  toStrike('kill the process and postgres', 2, repeat(2, kill('notifier', 'postgres'))),
];
