import { Script, createContext } from 'node:vm';

/** Attempts for work that timed out because the machine was busy. */
const TRIES_MAX = 4;
/** Share of its limit that the work must have had in CPU time for a timeout to count. */
const OWN_SHARE = 0.5;

/** Runs synchronous work to its end, or throws after `limitMs` milliseconds. */
export type RunWithin = <T>(limitMs: number, work: () => T) => T;

/**
 * Creates a `RunWithin` on the timeout of `node:vm`, because a timer cannot interrupt synchronous
 * work. That timeout is wall-clock time: on a busy machine it can pass without CPU time. Work that
 * had less than half of its limit is started again, so it must be repeatable.
 */
export const createRunWithin = (cpuMs: () => number = ownCpuMs): RunWithin => {
  const room = createContext(Object.create(null) as { work: () => unknown });
  const door = new Script('work()');
  return <T>(timeout: number, work: () => T): T => {
    room.work = work;
    try {
      for (let tries = 1; ; tries += 1) {
        const before = cpuMs();
        try {
          return door.runInContext(room, { timeout }) as T;
        } catch (error) {
          const hadItsTime = cpuMs() - before >= timeout * OWN_SHARE;
          if (!isTimedOut(error) || hadItsTime || tries === TRIES_MAX) throw error;
        }
      }
    } finally {
      room.work = () => undefined;
    }
  };
};

/** Returns whether an error is the timeout of `RunWithin`. */
export const isTimedOut = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** CPU time of this thread. */
const ownCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
