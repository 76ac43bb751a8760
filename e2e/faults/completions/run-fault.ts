import { setTimeout as pause } from 'node:timers/promises';
import { driveLoad } from './drive-load.ts';
import type { Load } from './drive-load.ts';
import { driveRetries } from './drive-retries.ts';
import type { FaultProvider } from './open-provider.ts';
import type { FaultSystem, FaultTarget } from '../open-running-system.ts';
import type { Random } from '../random.ts';
import { untilNoOpenReservation } from '../until-no-open-reservation.ts';
import type { CallRecord } from './run-call.ts';

/** A fault that is injected into the system while calls are in flight. */
export type Fault = {
  name: string;
  signal: 'SIGKILL' | 'SIGTERM';
  /** The processes that receive the signal together. */
  targets: readonly FaultTarget[];
  /**
   * Number of times that the fault is injected, each after the system has recovered from the
   * previous one.
   */
  times: number;
  /**
   * When to send the signal; by default at a random moment. `answered`: just after the provider has
   * sent a response, so that the process is killed while it writes the certificate or responds to
   * the client.
   */
  moment?: 'answered';
  /** Set if the load consists of clients that retry the same calls under one `Idempotency-Key`. */
  isRetryStorm?: true;
};

export type FaultOutcome = {
  name: string;
  calls: number;
  /** Number of calls for each way in which they ended, such as `refused 503 overloaded`. */
  endings: Record<string, number>;
  /**
   * For each signal, the time until the end of the first successful call that started after the
   * signal.
   */
  recoveryMs: number[];
  /**
   * For each signal, the time until the last failed call before the next signal; 0 if no call
   * failed.
   */
  disturbedMs: number[];
  /** Time from the end of the load until no reservation is open; -1 if some stayed open. */
  sweptMs: number;
  violations: string[];
};

/** Number of concurrent calls of the load. */
export const IN_FLIGHT = 32;
/** Maximum time from a signal to the end of the first successful call, in milliseconds. */
export const RECOVERY_LIMIT_MS = 15_000;
/**
 * Completion timeout in these runs; the time after which the sweeper ends open reservations depends
 * on it.
 */
export const COMPLETION_TIMEOUT_MS = 3_000;
/**
 * Maximum time until no reservation is open. A reservation expires 15 s after the timeout of its
 * call (10 s for the certificate, 5 s of margin); the sweeper gets 10 s more.
 */
export const SWEPT_LIMIT_MS = COMPLETION_TIMEOUT_MS + 15_000 + 10_000;
const PAUSE_MIN_MS = 300;
const PAUSE_MAX_MS = 1_200;
const POLL_MS = 20;
/**
 * Approximate maximum time from the provider's response to the end of the client's call under this
 * load, in milliseconds.
 */
const RELAY_MAX_MS = 12;
/**
 * A call that started less than this time before a graceful stop may not have reached the service,
 * so it may fail.
 */
const ARRIVAL_MS = 100;

export type FaultContext = {
  system: FaultSystem;
  provider: Pick<FaultProvider, 'whenResponded'>;
  home: string;
  random: Random;
};

/**
 * Injects a fault under load and waits until all calls and reservations have ended. Returns
 * measurements, violations and the records of the calls.
 */
export const runFault = async (
  fault: Fault,
  context: FaultContext,
): Promise<FaultOutcome & { records: readonly CallRecord[] }> => {
  const { system, home, random } = context;
  const file = await system.readFile();
  const { name } = fault;
  const load = fault.isRetryStorm
    ? driveRetries(file, { name })
    : driveLoad(file, { inFlight: IN_FLIGHT, random, name });
  const recoveryMs: number[] = [];
  const violations: string[] = [];
  const signalTimes: number[] = [];
  try {
    for (let time = 1; time <= fault.times; time += 1) {
      await pause(random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS));
      const before = await system.readFile();
      const at = await sendSignalAtMoment(fault, context);
      signalTimes.push(at);
      const recoveryTimeMs = await untilSuccessfulCall(load, at);
      if (recoveryTimeMs === undefined) {
        violations.push(`${fault.name}: no successful call within ${RECOVERY_LIMIT_MS} ms`);
        break;
      }
      recoveryMs.push(recoveryTimeMs);
      if (!(await untilRestarted(fault, system, before.pids))) {
        violations.push(`${fault.name}: system.json still names a process that was signalled`);
        break;
      }
    }
  } finally {
    await load.stop();
  }
  const sweptMs = await untilNoOpenReservation(home, SWEPT_LIMIT_MS);
  if (sweptMs === undefined) violations.push(`${fault.name}: reservations were never ended`);
  if (fault.signal === 'SIGTERM')
    violations.push(...findInterruptedCalls(load.endedCalls, signalTimes));
  return {
    name: fault.name,
    calls: load.endedCalls.length,
    endings: countEndings(load.endedCalls),
    recoveryMs,
    disturbedMs: measureFailurePeriods(load.endedCalls, signalTimes),
    sweptMs: sweptMs ?? -1,
    violations,
    records: load.endedCalls,
  };
};

/** Sends the signal at the moment that the fault requires; returns the time of the signal. */
const sendSignalAtMoment = async (
  { targets, signal, moment }: Fault,
  { system, provider, random }: FaultContext,
): Promise<number> => {
  const sendSignal = await system.prepareSignal(targets, signal);
  if (moment === 'answered') {
    await provider.whenResponded();
    const waitMs = random.integer(0, RELAY_MAX_MS);
    if (waitMs > 0) await pause(waitMs);
  }
  return sendSignal();
};

const measureFailurePeriods = (
  calls: readonly CallRecord[],
  signalTimes: readonly number[],
): number[] =>
  signalTimes.map((at, index) => {
    const until = signalTimes[index + 1] ?? Infinity;
    const failed = calls.filter(
      ({ outcome, endedAt }) => outcome !== 'complete' && endedAt > at && endedAt <= until,
    );
    return Math.max(0, ...failed.map(({ endedAt }) => endedAt - at));
  });

/**
 * Returns true when all signalled processes have been replaced, because the next signal needs their
 * new pids; returns false after the time limit.
 */
const untilRestarted = async (
  fault: Fault,
  system: FaultSystem,
  before: Readonly<Record<string, number>>,
): Promise<boolean> => {
  const deadline = Date.now() + RECOVERY_LIMIT_MS;
  while (Date.now() < deadline) {
    const { pids } = await system.readFile();
    if (fault.targets.every((target) => pids[target] !== before[target])) return true;
    await pause(POLL_MS);
  }
  return false;
};

const untilSuccessfulCall = async (load: Load, since: number): Promise<number | undefined> => {
  const deadline = since + RECOVERY_LIMIT_MS;
  while (Date.now() < deadline) {
    // `endedCalls` is in the order in which the calls ended, so this is the success that ended
    // first.
    const success = load.endedCalls.find(
      ({ startedAt, outcome, isReplayed }) =>
        startedAt > since && outcome === 'complete' && !isReplayed,
    );
    if (success) return success.endedAt - since;
    await pause(POLL_MS);
  }
  return undefined;
};

/**
 * Returns a violation for each call that was in flight when a service was stopped gracefully and
 * did not complete.
 */
export const findInterruptedCalls = (
  calls: readonly CallRecord[],
  signalTimes: readonly number[],
): string[] =>
  signalTimes.flatMap((at) =>
    calls
      .filter(({ startedAt, endedAt }) => startedAt < at - ARRIVAL_MS && endedAt > at)
      .filter(({ outcome }) => outcome !== 'complete')
      .map((call) => `${call.content}: in flight at SIGTERM, ended ${describeEnding(call)}`),
  );

export const countEndings = (calls: readonly CallRecord[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(calls, describeEnding)].map(([ending, group]) => [ending, group.length]),
  );

const describeEnding = ({ outcome, status }: CallRecord): string =>
  outcome === 'refused' ? `${outcome} ${status}` : outcome;
