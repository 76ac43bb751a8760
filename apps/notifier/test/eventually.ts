import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 10_000;
const AGAIN_MS = 10;

/** Waits until `look` answers something, for what happens on another clock. Throws after 10 s. */
export const eventually = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`It did not happen within ${PATIENCE_MS} ms.`);
    await pause(AGAIN_MS);
  }
};
