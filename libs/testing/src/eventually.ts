import { setTimeout as pause } from 'node:timers/promises';

/** Longest wait; what is waited for takes a few milliseconds on an idle machine. */
const PATIENCE_MS = 15_000;
const AGAIN_MS = 20;

type Nothing = undefined | false;

/**
 * Looks until there is something, neither undefined nor false, and answers it: for what happens on
 * another clock and tells nobody. Throws, naming `what`, when it does not come in 15 s.
 */
export const eventually = async <T>(
  look: () => T | Nothing | Promise<T | Nothing>,
  what = 'What was waited for',
): Promise<T> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not come in ${PATIENCE_MS} ms.`);
    await pause(AGAIN_MS);
  }
};
