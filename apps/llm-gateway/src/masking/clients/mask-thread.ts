import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import { openPlaceholderTable } from '@witan/privacy';
import type { PrivacyDeps } from '../mask-body.ts';
import { createMaskQueue } from './mask-queue.ts';
import type { PendingText } from './mask-queue.ts';
import type { MaskReply, MaskRequest } from './mask-thread-main.ts';

/** Masks long texts on a worker thread, so that they do not block other calls. */
export type MaskThread = { mask: PrivacyDeps['maskInWorker']; close: () => Promise<void> };

/** Time per text after which a worker is considered stuck and is replaced, in milliseconds. */
const TASK_TIMEOUT_MS = 60_000;

/**
 * Creates a thread that masks one text at a time and is replaced when it exits. With `isWarm` it
 * starts at once, otherwise with the first text, which then waits 1 s for the word lists to load,
 * on a busy machine 5 s.
 */
export const createMaskThread = ({ isWarm = false } = {}): MaskThread => {
  const queue = createMaskQueue();
  let worker: Worker | undefined;
  let running: PendingText | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const finish = (): PendingText | undefined => {
    const pending = running;
    running = undefined;
    clearTimeout(timer);
    return pending;
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./mask-thread-main.ts', import.meta.url));
    // The thread must not prevent the process from exiting.
    started.unref();
    started.on('message', (reply: MaskReply) => {
      // A late reply of a thread that was replaced belongs to no pending text.
      if (worker !== started) return;
      settle(finish(), reply);
      next();
    });
    const onExit = (cause: unknown): void => {
      // Ignores the `exit` of a thread that failed before and was replaced since.
      if (worker !== started) return;
      worker = undefined;
      // A thread whose reply could not be deserialized is still running and must be stopped.
      void started.terminate();
      finish()?.reject(unavailable('The masking worker crashed; try again.', cause));
      next();
    };
    started.on('error', onExit);
    started.on('messageerror', onExit);
    started.on('exit', onExit);
    return started;
  };
  const next = (): void => {
    if (running || isClosed) return;
    running = queue.take();
    if (!running) return;
    const reader = (worker ??= start());
    timer = setTimeout(() => void reader.terminate(), TASK_TIMEOUT_MS).unref();
    const request: MaskRequest = running.task;
    reader.postMessage(request);
  };
  if (isWarm) worker = start();
  return {
    mask: async (task, { workspaceId, signal }) => {
      signal.throwIfAborted();
      if (isClosed) throw serviceStopping();
      const { promise, resolve, reject } =
        Promise.withResolvers<Awaited<ReturnType<MaskThread['mask']>>>();
      const pending: PendingText = { task, workspaceId, resolve, reject };
      const onAbort = (): void => {
        queue.remove(pending);
        reject(signal.reason);
      };
      queue.add(pending);
      signal.addEventListener('abort', onAbort, { once: true });
      next();
      return promise.finally(() => signal.removeEventListener('abort', onAbort));
    },
    close: async () => {
      isClosed = true;
      for (const pending of queue.takeAll()) pending.reject(serviceStopping());
      await worker?.terminate();
    },
  };
};

const settle = (pending: PendingText | undefined, reply: MaskReply): void => {
  if ('errorName' in reply) pending?.reject(Object.assign(new Error(), { name: reply.errorName }));
  else {
    const { text, counts, uninspected, entries } = reply;
    pending?.resolve({ text, counts, uninspected, table: openPlaceholderTable(entries) });
  }
};

const serviceStopping = (): Error => unavailable('The service stops; try again.');
