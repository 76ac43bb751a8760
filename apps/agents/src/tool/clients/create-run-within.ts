import { Script, createContext } from 'node:vm';

const ATTEMPTS_MAX = 4;
/** Share of the time limit that the work must have used as CPU time for its timeout to be final. */
const CPU_SHARE_MIN = 0.5;

type RunWithin = <T>(limitMs: number, work: () => T) => T;

/**
 * Returns a function that runs synchronous work with a time limit and throws on timeout. It uses
 * the timeout of `node:vm`, because a timer cannot interrupt synchronous work. That timeout
 * measures wall-clock time, of which a busy machine may give the work little as CPU time. Work that
 * timed out after less than half of its limit in CPU time is therefore run again, up to three
 * times, so it must be repeatable.
 */
export const createRunWithin = (cpuMs: () => number = threadCpuMs): RunWithin => {
  const context = createContext(Object.create(null) as { work: () => unknown });
  const script = new Script('work()');
  return <T>(timeout: number, work: () => T): T => {
    context.work = work;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const before = cpuMs();
        try {
          return script.runInContext(context, { timeout }) as T;
        } catch (error) {
          const usedItsCpuTime = cpuMs() - before >= timeout * CPU_SHARE_MIN;
          if (!isTimedOut(error) || usedItsCpuTime || attempt === ATTEMPTS_MAX) throw error;
        }
      }
    } finally {
      context.work = () => undefined;
    }
  };
};

export const isTimedOut = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
