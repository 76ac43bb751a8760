/** Work that goes on until it is stopped. */
export type Repetition = {
  /** Begins no further round and waits for the one that runs. */
  stop: () => Promise<void>;
};

/**
 * Does `work` at an interval, one round at a time: a round that takes longer takes the place of the
 * next. A round that fails is told and does not end the others. Keeps no process alive.
 */
export const repeatEvery = (
  intervalMs: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Repetition => {
  let running: Promise<void> | undefined;
  const runRound = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onFailure(error);
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => {
    running ??= runRound();
  }, intervalMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
