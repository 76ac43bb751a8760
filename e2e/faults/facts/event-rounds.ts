import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openReplica } from '../open-replica.ts';
import type { FaultSystem, Victim } from '../open-running-system.ts';
import type { EventRound } from './run-event-round.ts';

const QUIET_MIN_MS = 300;
const QUIET_MAX_MS = 1_500;
/** Approximate maximum time from the arrival of a POST until its response is committed. */
const MOMENT_MAX_MS = 80;
const RESTART_LIMIT_MS = 30_000;
const POLL_MS = 20;
/** Exceeds the lease of a delivery attempt (15 s), so that another process takes it over. */
const BEYOND_LEASE_MS = 20_000;

type Disturb = EventRound['disturb'];

/**
 * Returns a fault that kills the processes `times` times at random moments, each time after they
 * have restarted.
 */
const killing =
  (victims: readonly Victim[], times: number): Disturb =>
  async ({ system, random }) => {
    for (let time = 0; time < times; time += 1) {
      await pause(random.integer(QUIET_MIN_MS, QUIET_MAX_MS));
      await strike(system, victims, 'SIGKILL');
    }
  };

/**
 * Returns a fault that kills a process just after a POST arrived: before its response, with it, or
 * around its commit.
 */
const killingAfterPost =
  (victim: Victim, times: number): Disturb =>
  async ({ system, random, receivers }) => {
    for (let time = 0; time < times; time += 1) {
      await pause(random.integer(QUIET_MIN_MS, QUIET_MAX_MS));
      await receivers.whenReceived();
      await pause(random.integer(0, MOMENT_MAX_MS));
      await strike(system, [victim], 'SIGKILL');
    }
  };

/**
 * Returns a fault that kills the emitter around the commit of an event or after a POST of its
 * webhook.
 */
const killingEmitter =
  (moment: 'commit' | 'post', times: number): Disturb =>
  async ({ emitter, random, receivers, load }) => {
    for (let time = 0; time < times; time += 1) {
      await pause(random.integer(QUIET_MIN_MS, QUIET_MAX_MS));
      await (moment === 'commit' ? load.whenCommitted() : receivers.whenReceived());
      // An event is published to NATS about a millisecond after its commit.
      if (moment === 'commit' && random.next() < 0.5) await pause(random.integer(1, 4));
      emitter.kill();
      await load.whenCommitted();
    }
  };

const freezing =
  (victim: Victim, ms: number): Disturb =>
  async ({ system }) => {
    await system.signal([victim], 'SIGSTOP');
    await pause(ms);
    await system.signal([victim], 'SIGCONT');
  };

const besideReplica =
  (disturb: Disturb): Disturb =>
  async (stage) => {
    const replica = await openReplica('notifier', await stage.system.readFile());
    try {
      await disturb(stage);
      await pause(QUIET_MAX_MS);
    } finally {
      await replica.stop();
    }
  };

/** Signals processes and waits until all of them have been restarted. */
const strike = async (
  system: FaultSystem,
  victims: readonly Victim[],
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<void> => {
  const { pids: before } = await system.readFile();
  await system.signal(victims, signal);
  const deadline = Date.now() + RESTART_LIMIT_MS;
  for (;;) {
    const { pids } = await system.readFile();
    if (victims.every((victim) => pids[victim] !== before[victim])) return;
    if (Date.now() > deadline) throw new Error(`${victims.join(', ')} did not come back.`);
    await pause(POLL_MS);
  }
};

const NATS_KILLS = 12;
const NATS_EVERY_MS = 5_000;

/** Kills NATS every 5 s for a minute. */
const killNatsForAMinute: Disturb = async ({ system }) => {
  for (let time = 0; time < NATS_KILLS; time += 1) {
    const next = pause(NATS_EVERY_MS);
    await strike(system, ['nats'], 'SIGKILL');
    await next;
  }
};

/** Deletes the data of NATS twice: streams, unread messages and consumers. */
const wipeNats: Disturb = async ({ system, home, random }) => {
  for (let time = 0; time < 2; time += 1) {
    await pause(random.integer(QUIET_MIN_MS, QUIET_MAX_MS));
    const { pids } = await system.readFile();
    await system.signal(['notifier'], 'SIGSTOP');
    // Time in which events are published but not consumed, because the notifier is stopped.
    await pause(QUIET_MIN_MS);
    const killed = strike(system, ['nats'], 'SIGKILL');
    while (isThere(pids.nats!)) await pause(1);
    rmSync(join(home, 'nats', 'store'), { recursive: true, force: true });
    await killed;
    await system.signal(['notifier'], 'SIGCONT');
    await pause(QUIET_MAX_MS);
  }
};

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/**
 * All faults, in order. `crashes` counts the crashes and freezes of the notifier and the crashes of
 * the database, each of which may cause one extra POST per delivery: leases are committed without
 * waiting for the disk (0002-turns.ts), so a database crash may lose one.
 */
export const EVENT_ROUNDS: readonly EventRound[] = [
  { name: 'facts, undisturbed', crashes: 0, disturb: () => pause(3_000) },
  { name: 'facts, kill notifier', crashes: 4, disturb: killing(['notifier'], 4) },
  {
    name: 'facts, kill notifier after a POST',
    crashes: 6,
    disturb: killingAfterPost('notifier', 6),
  },
  {
    name: 'facts, kill notifier beside a replica',
    crashes: 4,
    disturb: besideReplica(killingAfterPost('notifier', 4)),
  },
  {
    name: 'facts, freeze notifier beside a replica',
    crashes: 1,
    disturb: besideReplica(freezing('notifier', BEYOND_LEASE_MS)),
  },
  {
    name: 'facts, stop notifier',
    crashes: 0,
    disturb: async ({ system }) => {
      await strike(system, ['notifier'], 'SIGTERM');
      await strike(system, ['notifier'], 'SIGTERM');
    },
  },
  { name: 'facts, kill emitter after a commit', crashes: 0, disturb: killingEmitter('commit', 8) },
  { name: 'facts, kill emitter after a POST', crashes: 0, disturb: killingEmitter('post', 6) },
  { name: 'facts, kill nats for a minute', crashes: 0, disturb: killNatsForAMinute },
  { name: 'facts, wipe nats', crashes: 2, disturb: wipeNats },
  { name: 'facts, kill postgres', crashes: 3, disturb: killing(['postgres'], 3) },
  { name: 'facts, freeze postgres 5 s', crashes: 0, disturb: freezing('postgres', 5_000) },
  { name: 'facts, freeze postgres 30 s', crashes: 0, disturb: freezing('postgres', 30_000) },
  {
    name: 'facts, kill notifier and postgres',
    crashes: 2,
    disturb: killing(['notifier', 'postgres'], 2),
  },
  {
    name: 'facts, kill notifier, postgres and nats',
    crashes: 2,
    disturb: killing(['notifier', 'postgres', 'nats'], 2),
  },
];
