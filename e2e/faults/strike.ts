import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSignal, FaultSystem, FaultTarget } from './open-running-system.ts';
import { until } from './until.ts';

/** Processes that are signalled together. */
export type Strike = { targets: readonly FaultTarget[]; signal: Exclude<FaultSignal, 'SIGCONT'> };

/** A strike that has been made at `at`, in milliseconds since the epoch. */
export type StrikeResult = {
  at: number;
  /**
   * Resolves with true when all signalled processes have been replaced, because the next signal
   * needs their new pids; with false after `limitMs`.
   */
  untilRestarted: (limitMs: number) => Promise<boolean>;
};

/** Longer than two starts of a service on a busy machine. */
const RESTART_LIMIT_MS = 120_000;
const RESTART_POLL_MS = 20;
const READY_LIMIT_MS = 180_000;

/** Looks up the pids, waits for `whenDue`, and signals without further delay. */
export const strike = async (
  system: FaultSystem,
  { targets, signal }: Strike,
  whenDue: () => Promise<unknown> = async () => {},
): Promise<StrikeResult> => {
  const { pids: before } = await system.readFile();
  const sendSignal = await system.prepareSignal(targets, signal);
  await whenDue();
  const at = sendSignal();
  const isRestarted = async (): Promise<boolean> => {
    const { pids } = await system.readFile();
    return targets.every((target) => pids[target] !== before[target]);
  };
  return {
    at,
    untilRestarted: async (limitMs) =>
      (await until(limitMs, isRestarted, RESTART_POLL_MS)) ?? false,
  };
};

/** Strikes and waits for the restart; throws if it takes too long. */
export const strikeAndRestart = async (
  system: FaultSystem,
  planned: Strike,
  whenDue?: () => Promise<unknown>,
): Promise<void> => {
  const { untilRestarted } = await strike(system, planned, whenDue);
  await requireRestart(untilRestarted, planned);
};

/** Waits for the restart after a strike; throws if it takes too long. */
export const requireRestart = async (
  untilRestarted: StrikeResult['untilRestarted'],
  { targets }: Pick<Strike, 'targets'>,
): Promise<void> => {
  if (await untilRestarted(RESTART_LIMIT_MS)) return;
  throw new Error(`${targets.join(', ')} did not restart within the time limit.`);
};

/** Freezes a process; returns the time at which it continued. */
export const freeze = async (
  system: FaultSystem,
  target: FaultTarget,
  frozenMs: number,
): Promise<number> => {
  await system.signal([target], 'SIGSTOP');
  await pause(frozenMs);
  return system.signal([target], 'SIGCONT');
};

/**
 * Resolves when every check of all services passes, including services that an earlier strike
 * killed. A service whose database is away is ready, but its check is degraded.
 */
export const untilReady = async (system: Pick<FaultSystem, 'readFile'>): Promise<void> => {
  const { adminUrls } = await system.readFile();
  const passesChecks = async (url: string): Promise<boolean> => {
    try {
      const readiness = await (await fetch(`${url}/readyz`)).json();
      const { checks } = readiness as { checks: Record<string, string> };
      return Object.values(checks).every((state) => state === 'ok');
    } catch {
      // The service is not listening yet.
      return false;
    }
  };
  const areReady = await until(READY_LIMIT_MS, async () =>
    (await Promise.all(Object.values(adminUrls).map(passesChecks))).every(Boolean),
  );
  if (!areReady) throw new Error('The system was not ready again in time.');
};
