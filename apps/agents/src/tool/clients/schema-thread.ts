import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import type { SchemaCaller, SchemaValidator } from '../schema-validator.ts';
import { createSchemaQueue } from './schema-queue.ts';
import type { QueuedSchemaTask } from './schema-queue.ts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

export type SchemaThread = SchemaValidator & { close: () => Promise<void> };

/** Limit of the thread's heap, in MiB. Exceeding it ends the thread, but not the process. */
const MEMORY_MAX_MIB = 256;
/**
 * Time after which the thread is terminated, in milliseconds; reached only if the thread's own time
 * limits fail.
 */
const TASK_TIMEOUT_MS = 30_000;
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

type Running = { queued: QueuedSchemaTask; timer: NodeJS.Timeout };

/**
 * Opens a thread that validates customers' schemas, because some regular expressions in them run
 * practically forever and would block the event loop. The thread starts with the first task and
 * runs one task at a time. If the thread crashes, only its current task is affected: the task
 * rejects with UNAVAILABLE or, if the thread ran out of memory, returns a schema error or
 * `undecided`.
 */
export const openSchemaThread = (): SchemaThread => {
  const queue = createSchemaQueue();
  let isClosed = false;
  let worker: Worker | undefined;
  let running: Running | undefined;

  const finishRunning = (finish: (queued: QueuedSchemaTask) => void): void => {
    if (!running) return;
    const { queued, timer } = running;
    clearTimeout(timer);
    running = undefined;
    finish(queued);
    runNext();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./schema-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
    });
    // The thread must not prevent the process from exiting.
    started.unref();
    started.on('message', (reply: SchemaReply) => finishRunning(({ resolve }) => resolve(reply)));
    const onExit = (cause: unknown): void => {
      // `exit` is emitted after `error`, when another thread may already have replaced this one.
      if (worker !== started) return;
      worker = undefined;
      finishRunning((queued) => settleCrashed(queued, cause));
    };
    started.on('error', onExit);
    started.on('exit', onExit);
    return started;
  };
  const runNext = (): void => {
    const queued = running || isClosed ? undefined : queue.take();
    if (!queued) return;
    const target = (worker ??= start());
    running = { queued, timer: setTimeout(() => void target.terminate(), TASK_TIMEOUT_MS) };
    target.postMessage(queued.task);
  };
  const enqueue = async (task: SchemaTask, schemaCaller: SchemaCaller): Promise<SchemaReply> => {
    const { workspaceId, signal } = schemaCaller;
    if (isClosed) throw threadUnavailable();
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<SchemaReply>();
    const queued: QueuedSchemaTask = { task, workspaceId, resolve, reject };
    const onAbort = (): void => {
      queue.remove(queued);
      reject(signal!.reason);
    };
    queue.add(queued);
    signal?.addEventListener('abort', onAbort, { once: true });
    runNext();
    return await promise.finally(() => signal?.removeEventListener('abort', onAbort));
  };
  return {
    findError: async (schema, schemaCaller) =>
      (await enqueue({ schema }, schemaCaller)).schemaError,
    findViolations: async (task, schemaCaller) =>
      (await enqueue(task, schemaCaller)).violations ?? 'undecided',
    close: async () => {
      isClosed = true;
      for (const { reject } of queue.takeAll()) reject(threadUnavailable());
      await worker?.terminate();
    },
  };
};

const settleCrashed = ({ task, resolve, reject }: QueuedSchemaTask, cause: unknown): void => {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code !== OUT_OF_MEMORY) reject(threadUnavailable(cause));
  else if (task.text !== undefined) resolve({});
  else resolve({ schemaError: { path: '', message: 'cannot be used: it takes too much memory' } });
};

const threadUnavailable = (cause?: unknown): Error =>
  unavailable('The reader of schemas is not there at the moment; try again.', cause);
