import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type CollectGarbage = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/**
 * Collects the garbage of the start and returns the free memory of V8's heap to the operating
 * system, which V8 itself does only after about a minute without work. Blocks the event loop for
 * some 100 ms, so call it once, when the service is ready.
 */
export const releaseStartMemory = (): void => {
  // A regular collection does not shrink the new space, which loading has grown to its maximum.
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  collectGarbage({ type: 'major', flavor: 'last-resort' });
};
