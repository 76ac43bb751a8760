export type Repetition = {
  stop: () => Promise<void>;
};

/**
 * Runs `work` at an interval, never concurrently: a run that is due while the previous one
 * continues is skipped. A failed run is passed to `onFailure` and does not stop later runs. The
 * timer does not keep the process alive.
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
