import { setTimeout as pause } from 'node:timers/promises';
import type { ReceivedRequest, Receiver } from '@witan/testing';

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

const LIMIT_MS = 30_000;
/** Time in which a superfluous request would arrive, in milliseconds. */
const AFTER_MS = 500;

/**
 * Waits until `expectedCount` requests to a path have arrived or 30 s have passed, and then for
 * superfluous requests. Returns all requests to the path.
 */
export const untilReceived = async (
  receiver: Receiver,
  path: string,
  expectedCount: number,
): Promise<readonly ReceivedRequest[]> => {
  await until(LIMIT_MS, () => receiver.requestsOf(path).length >= expectedCount);
  await pause(AFTER_MS);
  return receiver.requestsOf(path);
};
