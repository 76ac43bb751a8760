import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 15_000;
const AGAIN_MS = 10;

/** Waits until `look` answers true, for what happens on another clock. Throws after 15 s. */
export const eventually = async (look: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`It did not happen within ${PATIENCE_MS} ms.`);
    await pause(AGAIN_MS);
  }
};
