/** Size from which a step of a call blocks the event loop for milliseconds. */
const LONG_STEP_BYTES = 512 * 1024;

/** The long steps of all calls of the thread, which share its event loop. */
const waiting: (() => void)[] = [];

const startNext = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
};

/**
 * Resolves after other events were handled if a step processed so many bytes or characters that the
 * next step of the same call must not follow at once; otherwise immediately. One such step runs in
 * each turn of the event loop, however many calls have some.
 */
export const yieldAfter = (bytes: number): Promise<void> | undefined =>
  bytes < LONG_STEP_BYTES
    ? undefined
    : new Promise((resolve) => {
        if (waiting.push(resolve) === 1) setImmediate(startNext);
      });
