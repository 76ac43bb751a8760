import { Script, createContext } from 'node:vm';

const TRIES_MAX = 4;
/** Least share of the limit, in CPU time, for a timeout to count. */
const OWN_SHARE = 0.5;

export type RunWithin = <T>(limitMs: number, work: () => T) => T;

/**
 * Uses the timeout of `node:vm`, because a timer cannot interrupt synchronous work. That timeout is
 * wall-clock time, which on a busy machine can pass without CPU time: work that used less than half
 * of its limit is restarted, so it must be repeatable.
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

export const isTimedOut = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const ownCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
