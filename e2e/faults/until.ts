import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 50;

type Pending = undefined | false;

/**
 * Polls `check` until it returns neither undefined nor false, and returns that value; returns
 * undefined if `limitMs` have passed first. For waits whose failure is a finding of the run.
 */
export const until = async <T>(
  limitMs: number,
  check: () => T | Pending | Promise<T | Pending>,
  pollMs: number = POLL_MS,
): Promise<T | undefined> => {
  for (const deadline = Date.now() + limitMs; ; await pause(pollMs)) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) return undefined;
  }
};

/** Resolves with the promise's value; throws an error with `description` after `limitMs`. */
export const within = async <T>(
  limitMs: number,
  promise: Promise<T>,
  description: string,
): Promise<T> => {
  const late = Symbol('late');
  const timeout = pause(limitMs, late, { ref: false });
  const first = await Promise.race([promise, timeout]);
  if (first === late) throw new Error(`Not within ${limitMs} ms: ${description}`);
  return first;
};
