import { Script, createContext } from 'node:vm';

/** Tries of work whose time went by while the machine did something else. */
const TRIES_MAX = 4;
/** Of its time, what work must have had of the processor to have had its chance. */
const OWN_SHARE = 0.5;

/** Runs synchronous work to its end, or throws when it has had so many milliseconds. */
export type RunWithin = <T>(limitMs: number, work: () => T) => T;

/**
 * A timer would not be heard, so the engine itself looks at the clock. That is the wall's, and on a
 * busy machine all of the time may go by without a turn on the processor: work that had less than
 * half of it is begun anew, so it must be repeatable.
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

/** Thrown when the time is over. */
export const isTimedOut = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** What this thread alone has had of the processor. */
const ownCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
