import type { Swept } from './sweep-reservations.ts';

/** Sweeps at an interval, one sweep at a time, until stopped. A failed sweep is retried. */
export const startSweeping = (options: {
  sweep: () => Promise<Swept>;
  intervalMs: number;
  onSwept: (swept: Swept) => void;
  onFailure: (error: unknown) => void;
}): { stop: () => Promise<void> } => {
  let running: Promise<void> | undefined;
  const sweepOnce = async (): Promise<void> => {
    try {
      const swept = await options.sweep();
      if (swept.lost + swept.released > 0) options.onSwept(swept);
    } catch (error) {
      options.onFailure(error);
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => {
    running ??= sweepOnce();
  }, options.intervalMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
