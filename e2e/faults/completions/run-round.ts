import { setTimeout as pause } from 'node:timers/promises';
import { driveLoad } from './drive-load.ts';
import type { Load } from './drive-load.ts';
import { driveRetries } from './drive-retries.ts';
import type { FaultProvider } from './open-provider.ts';
import type { FaultSystem, Victim } from '../open-running-system.ts';
import type { Random } from '../random.ts';
import { untilNothingHeld } from '../until-nothing-held.ts';
import type { CallRecord } from './run-call.ts';

/** A disturbance of the system under load. */
export type Round = {
  name: string;
  signal: 'SIGKILL' | 'SIGTERM';
  /** The processes that are signalled together. */
  victims: readonly Victim[];
  /** Number of repetitions, each after the system has recovered. */
  times: number;
  /**
   * When to signal; default: at a random moment. `answered`: just after a provider response, so
   * that the kill hits the certificate's commit or the reply.
   */
  moment?: 'answered';
  /** Set if clients retry the same calls under one `Idempotency-Key`. */
  isRetryStorm?: true;
};

export type RoundOutcome = {
  name: string;
  calls: number;
  /** Number of calls by ending, such as `refused 503 overloaded`. */
  endings: Record<string, number>;
  /** Time from each signal to the end of the first successful call that started after it. */
  recoveryMs: number[];
  /** Time from each signal to the last call that failed because of it; 0 if none failed. */
  disturbedMs: number[];
  /** Time from the last response to the last sweep. */
  sweptMs: number;
  violations: string[];
};

/** Number of concurrent calls. */
export const IN_FLIGHT = 32;
/** Maximum time for the system's recovery after any kill. */
export const RECOVERY_LIMIT_MS = 15_000;
/** Timeout of a completion in these runs, which determines when sweeps run. */
export const COMPLETION_TIMEOUT_MS = 3_000;
/**
 * Maximum time of a reservation: it outlives its call by 10 s for the certificate and 5 s of
 * margin.
 */
export const SWEPT_LIMIT_MS = COMPLETION_TIMEOUT_MS + 15_000 + 10_000;
const QUIET_MIN_MS = 300;
const QUIET_MAX_MS = 1_200;
const POLL_MS = 20;
/** Approximate time from the provider's response to the client under this load. */
const ANSWERED_MAX_MS = 12;
/** A call started this shortly before a graceful stop may not have arrived. */
const ARRIVED_MS = 100;

export type RoundContext = {
  system: FaultSystem;
  provider: Pick<FaultProvider, 'whenAnswered'>;
  home: string;
  random: Random;
};

/** Runs one round and waits until all its calls and reservations have ended. */
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

/** Signals the victims at the round's moment; returns the time. */
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

/** Resolves when the victims have new processes, whose pids the next kill needs. */
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
    // Records are ordered by the end of the call.
    const good = load.ended.find(
      ({ startedAt, outcome, isReplayed }) =>
        startedAt > since && outcome === 'complete' && !isReplayed,
    );
    if (good) return good.endedAt - since;
    await pause(POLL_MS);
  }
  return undefined;
};

/** Checks that a stopped service finished its calls. */
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
