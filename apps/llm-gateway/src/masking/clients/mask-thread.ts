import { Worker } from 'node:worker_threads';
import { ServiceError, unavailable } from '@witan/contracts';
import { openPlaceholderTable } from '@witan/privacy';
import { openWorkerThread } from '@witan/service-kit';
import type { PrivacyDeps } from '../mask-request.ts';
import type { MaskTask } from '../mask-json.ts';
import type { MaskReply } from './mask-thread-main.ts';

/** Masks long texts on a worker thread, so that they do not block other calls. */
export type MaskThread = { mask: PrivacyDeps['maskInWorker']; close: () => Promise<void> };

/** Time limit between two pauses in milliseconds, after which the worker is considered stuck. */
const TASK_TIMEOUT_MS = 20_000;
/** Limit of the thread's heap, in MiB. Exceeding it ends the thread, but not the process. */
const MEMORY_MAX_MIB = 320;
/**
 * Length in UTF-16 units above which a text is begun only when no other such text is paused,
 * because a paused text keeps its memory. Shorter texts of other workspaces run in between.
 */
const ALONE_LENGTH_MIN = 1024 * 1024;
/** Limits of the unfinished text in UTF-16 units: for one workspace, and for all together. */
const OWN_LENGTH_MAX = 48 * 1024 * 1024;
const TOTAL_LENGTH_MAX = 192 * 1024 * 1024;

/**
 * Creates a thread that masks texts in steps, round robin among workspaces: a long text is paused
 * while texts of other workspaces wait, and ends when its caller leaves. With `isWarm` it starts at
 * once, otherwise with the first text, which then waits about a second for the word lists to load,
 * longer on a busy machine.
 */
export const createMaskThread = ({ isWarm = false } = {}): MaskThread => {
  const thread = openWorkerThread<MaskTask, MaskReply>({
    createWorker: () =>
      new Worker(new URL('./mask-thread-main.ts', import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
      }),
    timeoutMs: TASK_TIMEOUT_MS,
    isWarm,
    assertFits: (task, { own, all }) => {
      const isFull =
        sumLengths([...own, task]) > OWN_LENGTH_MAX ||
        sumLengths([...all, task]) > TOTAL_LENGTH_MAX;
      if (isFull) throw unavailable('Too many long texts wait to be read; try again.');
    },
    mayBegin: ({ text }, paused) =>
      text.length < ALONE_LENGTH_MIN ||
      paused.every((other) => other.text.length < ALONE_LENGTH_MIN),
    toError,
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

const toError = (cause?: unknown): ServiceError => {
  if (cause === undefined) return unavailable('The service stops; try again.');
  if (Error.isError(cause) && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const message = 'The body takes too much memory to be masked; send less text.';
    return new ServiceError('REQUEST_TOO_LARGE', message, { cause });
  }
  return unavailable('The masking worker crashed; try again.', cause);
};

const sumLengths = (tasks: readonly MaskTask[]): number =>
  tasks.reduce((sum, { text }) => sum + text.length, 0);
