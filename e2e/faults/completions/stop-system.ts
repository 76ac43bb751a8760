import { setTimeout as pause } from 'node:timers/promises';
import { findLeftovers } from '../find-processes.ts';
import { countEndings, findInterruptedCalls, IN_FLIGHT, toGracefulStop } from './bench.ts';
import type { CallRound, CompletionBench } from './bench.ts';
import { driveCalls } from './run-call.ts';

const WARM_UP_MS = 1_000;
/** Time in milliseconds after a kill at which the service is still being restarted. */
const RESTARTING_MS = 300;

/**
 * Sends SIGTERM to the whole system under load: every call that the provider has received must
 * complete, and no process may remain.
 */
export const stopUnderLoad = async ({
  system,
  home,
  random,
  provider,
}: CompletionBench): Promise<CallRound> => {
  const file = await system.readFile();
  const load = driveCalls(file, { inFlight: IN_FLIGHT, random, name: 'stop the system' });
  await pause(WARM_UP_MS);
  const stop = toGracefulStop(Date.now(), provider);
  const stopped = system.stop();
  await load.stop();
  const code = await stopped;
  const records = load.endedCalls;
  return {
    figures: { calls: records.length, endings: countEndings(records) },
    violations: [
      ...findInterruptedCalls(records, [stop]),
      ...(await endLeftovers(code, home, file.pids)),
    ],
    records,
  };
};

/**
 * Sends SIGTERM to the system while it restarts a killed service: the restarted process must not
 * remain.
 */
export const stopWhileRestarting = async ({
  system,
  home,
}: CompletionBench): Promise<CallRound> => {
  const { pids } = await system.readFile();
  await system.signal(['ledger'], 'SIGKILL');
  await pause(RESTARTING_MS);
  const code = await system.stop();
  return { figures: { calls: 0 }, violations: await endLeftovers(code, home, pids), records: [] };
};

/** Kills processes that remain after a stop; returns violations unless the stop was clean. */
const endLeftovers = async (
  code: number | null,
  home: string,
  pids: Readonly<Record<string, number>>,
): Promise<string[]> => {
  const remainingPids = await findLeftovers(home, pids);
  for (const pid of remainingPids) process.kill(pid, 'SIGKILL');
  return [
    ...(code === 0 ? [] : [`exited with ${code ?? 'a kill after 60 s'}`]),
    ...(remainingPids.length === 0 ? [] : [`${remainingPids.length} processes still run`]),
  ];
};
