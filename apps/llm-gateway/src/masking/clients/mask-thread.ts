import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import { openPlaceholderTable } from '@witan/privacy';
import { openWorkerThread } from '@witan/service-kit';
import type { PrivacyDeps } from '../mask-body.ts';
import type { MaskTask } from '../mask-json.ts';
import type { MaskReply } from './mask-thread-main.ts';

/** Masks long texts on a worker thread, so that they do not block other calls. */
export type MaskThread = { mask: PrivacyDeps['maskInWorker']; close: () => Promise<void> };

/** Time limit of a text in milliseconds, after which the worker is considered stuck. */
const TASK_TIMEOUT_MS = 60_000;
/** Limits of the queued text in UTF-16 units: for one workspace, and for all together. */
const OWN_LENGTH_MAX = 48 * 1024 * 1024;
const TOTAL_LENGTH_MAX = 192 * 1024 * 1024;

/**
 * Creates a thread that masks one text at a time, round robin among workspaces. With `isWarm` it
 * starts at once, otherwise with the first text, which then waits about a second for the word lists
 * to load, longer on a busy machine.
 */
export const createMaskThread = ({ isWarm = false } = {}): MaskThread => {
  const thread = openWorkerThread<MaskTask, MaskReply>({
    createWorker: () => new Worker(new URL('./mask-thread-main.ts', import.meta.url)),
    timeoutMs: TASK_TIMEOUT_MS,
    isWarm,
    assertFits: (task, { own, all }) => {
      const isFull =
        sumLengths([...own, task]) > OWN_LENGTH_MAX ||
        sumLengths([...all, task]) > TOTAL_LENGTH_MAX;
      if (isFull) throw unavailable('Too many long texts wait to be read; try again.');
    },
    toError: (cause) =>
      cause === undefined
        ? unavailable('The service stops; try again.')
        : unavailable('The masking worker crashed; try again.', cause),
  });
  return {
    mask: async (task, { workspaceId, signal }) => {
      const reply = await thread.run(task, { key: workspaceId, signal });
      if ('errorName' in reply) throw Object.assign(new Error(), { name: reply.errorName });
      const { entries, ...masked } = reply;
      return { ...masked, table: openPlaceholderTable(entries) };
    },
    close: thread.close,
  };
};

const sumLengths = (tasks: readonly MaskTask[]): number =>
  tasks.reduce((sum, { text }) => sum + text.length, 0);
