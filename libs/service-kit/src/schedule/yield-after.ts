import { setImmediate as nextTurn } from 'node:timers/promises';

/** Size from which a step of a call blocks the event loop for milliseconds. */
const LONG_STEP_BYTES = 512 * 1024;

/**
 * Resolves after other events were handled if a step processed so many bytes or characters that the
 * next step of the same call must not follow at once; otherwise immediately.
 */
export const yieldAfter = (bytes: number): Promise<void> | undefined =>
  bytes < LONG_STEP_BYTES ? undefined : nextTurn();
