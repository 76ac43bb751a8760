import type { WrittenEpoch } from './write-epoch.ts';

type Deps = {
  writeEpoch: (leavesMax: number) => Promise<WrittenEpoch | undefined>;
  /** Publishes the last epoch; resolves with the number of epochs if it is a new one. */
  publish: () => Promise<number | undefined>;
  /** Returns whether this process has committed certificates since it was last asked. */
  isBusy: () => boolean;
  stopping: AbortSignal;
  onWritten: (epoch: WrittenEpoch, seconds: number) => void;
  onPublished: (size: number) => void;
  clock: () => number;
};

/** Certificates of one epoch; fewer while calls run, which share the CPU and the database. */
const LEAVES_MAX = 65_536;
const BUSY_LEAVES_MAX = 8_192;

/**
 * Writes epochs until no certificates are left, and publishes each. An epoch that another replica
 * wrote is published, too. A failure leaves the rest to the next cycle.
 */
export const runCycle = async (deps: Deps): Promise<void> => {
  for (;;) {
    const leavesMax = deps.isBusy() ? BUSY_LEAVES_MAX : LEAVES_MAX;
    const startedAt = deps.clock();
    const epoch = await deps.writeEpoch(leavesMax);
    const size = await deps.publish();
    if (epoch) deps.onWritten(epoch, (deps.clock() - startedAt) / 1_000);
    if (size !== undefined) deps.onPublished(size);
    if (!epoch || epoch.leaves < leavesMax || deps.stopping.aborted) return;
  }
};
