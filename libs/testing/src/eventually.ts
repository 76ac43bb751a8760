import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 15_000;
const POLL_MS = 20;

type Pending = undefined | false;

/**
 * Polls `check` until it returns neither undefined nor false, and returns that value. Use it for
 * effects that emit no signal for which a test could wait. After 15 s it throws an error with
 * `description`; an error of `check` is thrown at once.
 */
export const eventually = async <T>(
  check: () => T | Pending | Promise<T | Pending>,
  description = 'the awaited condition',
): Promise<T> => {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const result = await check();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > deadline) {
      throw new Error(`Timed out after ${TIMEOUT_MS} ms waiting for: ${description}`);
    }
    await pause(POLL_MS);
  }
};
