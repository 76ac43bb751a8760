import { setTimeout as pause } from 'node:timers/promises';
import type { Load } from '../drive-workers.ts';
import { untilNoOpenReservation } from '../evidence/read-ledger.ts';
import { strike, untilReady } from '../strike.ts';
import { until } from '../until.ts';
import {
  countEndings,
  findInterruptedCalls,
  IN_FLIGHT,
  RECOVERY_LIMIT_MS,
  SWEPT_LIMIT_MS,
  toGracefulStop,
} from './bench.ts';
import type { CallRound, CompletionBench, GracefulStop } from './bench.ts';
import { driveCalls } from './run-call.ts';
import { driveRetries } from './drive-retries.ts';
import type { CallRecord } from './run-call.ts';
import type { CompletionStrike } from './strikes.ts';

const PAUSE_MIN_MS = 300;
const PAUSE_MAX_MS = 1_200;
const POLL_MS = 20;
/**
 * Approximate maximum time from the provider's response to the end of the client's call under this
 * load, in milliseconds.
 */
const RELAY_MAX_MS = 12;

/**
 * Strikes under load and waits until all calls and reservations have ended. Returns measurements,
 * violations and the records of the calls.
 */
export const runStrike = async (
  planned: CompletionStrike,
  bench: CompletionBench,
): Promise<CallRound> => {
  const { system, home, random } = bench;
  const { name, isRetryStorm, signal } = planned;
  const file = await system.readFile();
  const load = isRetryStorm
    ? driveRetries(file, { name })
    : driveCalls(file, { inFlight: IN_FLIGHT, random, name });
  let result: Awaited<ReturnType<typeof strikeRepeatedly>>;
  try {
    result = await strikeRepeatedly(planned, load, bench);
  } finally {
    await load.stop();
  }
  const { stops, recoveryMs, violations } = result;
  const signalTimes = stops.map(({ at }) => at);
  // Else the check of this round and the calls of the next one fail for the sake of this one.
  await untilReady(system);
  const sweptMs = await untilNoOpenReservation(home, SWEPT_LIMIT_MS);
  const { endedCalls } = load;
  return {
    figures: {
      calls: endedCalls.length,
      endings: countEndings(endedCalls),
      // For each signal, the time until the end of the first successful call that started after it.
      recoveryMs,
      disturbedMs: measureFailurePeriods(endedCalls, signalTimes),
      // Time from the end of the load until no reservation is open; -1 if some stayed open.
      sweptMs: sweptMs ?? -1,
    },
    violations: [
      ...violations,
      ...(sweptMs === undefined ? ['reservations were never ended'] : []),
      ...(signal === 'SIGTERM' ? findInterruptedCalls(endedCalls, stops) : []),
    ],
    records: endedCalls,
  };
};

const strikeRepeatedly = async (
  planned: CompletionStrike,
  load: Load<CallRecord>,
  bench: CompletionBench,
): Promise<{ stops: GracefulStop[]; recoveryMs: number[]; violations: string[] }> => {
  const stops: GracefulStop[] = [];
  const recoveryMs: number[] = [];
  const stopWith = (violation: string) => ({ stops, recoveryMs, violations: [violation] });
  for (let time = 1; time <= planned.times; time += 1) {
    // A stopped process serves calls until it ends, so a success shows no replacement.
    await untilReady(bench.system);
    await pause(bench.random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS));
    const { at, untilRestarted } = await strike(bench.system, planned, () =>
      untilMoment(planned, bench),
    );
    stops.push(toGracefulStop(at, bench.provider));
    const success = await untilSuccessfulCall(load, at);
    if (!success) return stopWith(`no successful call within ${RECOVERY_LIMIT_MS} ms`);
    recoveryMs.push(success.endedAt - at);
    if (!(await untilRestarted(RECOVERY_LIMIT_MS))) {
      return stopWith('system.json still names a process that was signalled');
    }
  }
  return { stops, recoveryMs, violations: [] };
};

const untilMoment = async (
  { moment }: CompletionStrike,
  { provider, random }: CompletionBench,
): Promise<void> => {
  if (moment !== 'answered') return;
  await provider.whenResponded();
  const waitMs = random.integer(0, RELAY_MAX_MS);
  if (waitMs > 0) await pause(waitMs);
};

/**
 * Waits for a successful call that started after `since`. `endedCalls` is in the order of the
 * calls' ends, so the result is the success that ended first.
 */
const untilSuccessfulCall = (
  { endedCalls }: Load<CallRecord>,
  since: number,
): Promise<CallRecord | undefined> => {
  const isSuccess = ({ startedAt, outcome, isReplayed }: CallRecord): boolean =>
    startedAt > since && outcome === 'complete' && !isReplayed;
  return until(since + RECOVERY_LIMIT_MS - Date.now(), () => endedCalls.find(isSuccess), POLL_MS);
};

/**
 * Returns for each signal the time until the last failed call before the next signal; 0 if no call
 * failed.
 */
const measureFailurePeriods = (
  calls: readonly CallRecord[],
  signalTimes: readonly number[],
): number[] =>
  signalTimes.map((at, index) => {
    const end = signalTimes[index + 1] ?? Infinity;
    const failed = calls.filter(
      ({ outcome, endedAt }) => outcome !== 'complete' && endedAt > at && endedAt <= end,
    );
    return Math.max(0, ...failed.map(({ endedAt }) => endedAt - at));
  });
