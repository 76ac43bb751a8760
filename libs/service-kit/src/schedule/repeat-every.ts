export type Repetition = {
  stop: () => Promise<void>;
};

/**
 * Runs `work` at an interval, never concurrently: after a run that takes too long, the next one is
 * skipped. A failed run is reported and does not stop later ones. The timer does not keep the
 * process alive.
 */
export const repeatEvery = (
  intervalMs: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Repetition => {
  let running: Promise<void> | undefined;
  const runOnce = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onFailure(error);
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => {
    running ??= runOnce();
  }, intervalMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
