import { setTimeout as pause } from 'node:timers/promises';
import { driveLoad } from './drive-load.ts';
import type { Load } from './drive-load.ts';
import { driveRetries } from './drive-retries.ts';
import type { FaultProvider } from './open-provider.ts';
import type { FaultSystem, Victim } from '../open-running-system.ts';
import type { Random } from '../random.ts';
import { untilNothingHeld } from '../until-nothing-held.ts';
import type { CallRecord } from './run-call.ts';

/** A fault that is injected into the system under load. */
export type Round = {
  name: string;
  signal: 'SIGKILL' | 'SIGTERM';
  /** The processes that receive the signal at the same time. */
  victims: readonly Victim[];
  /** How often the fault is injected, each time after the system has recovered. */
  times: number;
  /**
   * When to send the signal; by default at a random moment. `answered`: just after the provider has
   * sent a response, so that the process is killed while it writes the certificate or replies.
   */
  moment?: 'answered';
  /** Set if the load consists of clients that retry the same calls under one `Idempotency-Key`. */
  isRetryStorm?: true;
};

export type RoundOutcome = {
  name: string;
  calls: number;
  /** Number of calls by how they ended, such as `refused 503 overloaded`. */
  endings: Record<string, number>;
  /** For each signal, the time until the first successful call that started after it has ended. */
  recoveryMs: number[];
  /**
   * For each signal, the time until the last failed call before the next signal; 0 if no call
   * failed.
   */
  disturbedMs: number[];
  /** Time from the end of the load until no reservation is held; -1 if some were never ended. */
  sweptMs: number;
  violations: string[];
};

/** Number of concurrent calls of the load. */
export const IN_FLIGHT = 32;
/** Maximum time in which the system must recover after a fault. */
export const RECOVERY_LIMIT_MS = 15_000;
/**
 * Completion timeout in these runs, which also determines when the sweeper ends open reservations.
 */
export const COMPLETION_TIMEOUT_MS = 3_000;
/**
 * Maximum time until every reservation has ended: one expires 15 s after its call's timeout (10 s
 * for the certificate, 5 s of margin); 10 s more for the sweeper.
 */
export const SWEPT_LIMIT_MS = COMPLETION_TIMEOUT_MS + 15_000 + 10_000;
const QUIET_MIN_MS = 300;
const QUIET_MAX_MS = 1_200;
const POLL_MS = 20;
/** Approximate maximum time from the provider's response to the client's under this load. */
const ANSWERED_MAX_MS = 12;
/**
 * A call that started this shortly before a graceful stop may not have reached the service, so it
 * may fail.
 */
const ARRIVED_MS = 100;

export type RoundContext = {
  system: FaultSystem;
  provider: Pick<FaultProvider, 'whenAnswered'>;
  home: string;
  random: Random;
};

/**
 * Injects a fault under load, waits until all calls and reservations have ended, and returns
 * measurements and records of the calls.
 */
export const runRound = async (
  round: Round,
  context: RoundContext,
): Promise<RoundOutcome & { records: readonly CallRecord[] }> => {
  const { system, home, random } = context;
  const file = await system.readFile();
  const { name } = round;
  const load = round.isRetryStorm
    ? driveRetries(file, { name })
    : driveLoad(file, { inFlight: IN_FLIGHT, random, name });
  const recoveryMs: number[] = [];
  const violations: string[] = [];
  const signalled: number[] = [];
  try {
    for (let time = 1; time <= round.times; time += 1) {
      await pause(random.integer(QUIET_MIN_MS, QUIET_MAX_MS));
      const before = await system.readFile();
      const at = await strike(round, context);
      signalled.push(at);
      const recovered = await untilGoodCall(load, at);
      if (recovered === undefined) {
        violations.push(`${round.name}: no good call within ${RECOVERY_LIMIT_MS} ms`);
        break;
      }
      recoveryMs.push(recovered);
      if (!(await untilRestarted(round, system, before.pids))) {
        violations.push(`${round.name}: system.json still names a process that was signalled`);
        break;
      }
    }
  } finally {
    await load.stop();
  }
  const sweptMs = await untilNothingHeld(home, SWEPT_LIMIT_MS);
  if (sweptMs === undefined) violations.push(`${round.name}: reservations were never ended`);
  if (round.signal === 'SIGTERM') violations.push(...judgeGraceful(load.ended, signalled));
  return {
    name: round.name,
    calls: load.ended.length,
    endings: countEndings(load.ended),
    recoveryMs,
    disturbedMs: measureDisturbance(load.ended, signalled),
    sweptMs: sweptMs ?? -1,
    violations,
    records: load.ended,
  };
};

/** Sends the signal at the moment that the fault requires; returns the time of the signal. */
const strike = async (
  { victims, signal, moment }: Round,
  { system, provider, random }: RoundContext,
): Promise<number> => {
  const fire = await system.aim(victims, signal);
  if (moment === 'answered') {
    await provider.whenAnswered();
    const waitMs = random.integer(0, ANSWERED_MAX_MS);
    if (waitMs > 0) await pause(waitMs);
  }
  return fire();
};

const measureDisturbance = (calls: readonly CallRecord[], signalled: readonly number[]): number[] =>
  signalled.map((at, index) => {
    const until = signalled[index + 1] ?? Infinity;
    const failed = calls.filter(
      ({ outcome, endedAt }) => outcome !== 'complete' && endedAt > at && endedAt <= until,
    );
    return Math.max(0, ...failed.map(({ endedAt }) => endedAt - at));
  });

/**
 * Returns true when all signalled processes have been replaced, whose new pids the next signal
 * needs; false if the time is over.
 */
const untilRestarted = async (
  round: Round,
  system: FaultSystem,
  before: Readonly<Record<string, number>>,
): Promise<boolean> => {
  const deadline = Date.now() + RECOVERY_LIMIT_MS;
  while (Date.now() < deadline) {
    const { pids } = await system.readFile();
    if (round.victims.every((victim) => pids[victim] !== before[victim])) return true;
    await pause(POLL_MS);
  }
  return false;
};

const untilGoodCall = async (load: Load, since: number): Promise<number | undefined> => {
  const deadline = since + RECOVERY_LIMIT_MS;
  while (Date.now() < deadline) {
    // `ended` is ordered by the end of the calls, so this is the first success.
    const good = load.ended.find(
      ({ startedAt, outcome, isReplayed }) =>
        startedAt > since && outcome === 'complete' && !isReplayed,
    );
    if (good) return good.endedAt - since;
    await pause(POLL_MS);
  }
  return undefined;
};

/**
 * Returns the calls that were in flight when a service was stopped gracefully and that did not
 * complete.
 */
export const judgeGraceful = (
  calls: readonly CallRecord[],
  signalled: readonly number[],
): string[] =>
  signalled.flatMap((at) =>
    calls
      .filter(({ startedAt, endedAt }) => startedAt < at - ARRIVED_MS && endedAt > at)
      .filter(({ outcome }) => outcome !== 'complete')
      .map((call) => `${call.content}: in flight at SIGTERM, ended ${describeEnding(call)}`),
  );

export const countEndings = (calls: readonly CallRecord[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(calls, describeEnding)].map(([ending, group]) => [ending, group.length]),
  );

const describeEnding = ({ outcome, status }: CallRecord): string =>
  outcome === 'refused' ? `${outcome} ${status}` : outcome;
