import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import type { SchemaAsker, SchemaValidator } from '../domain/tool/schema-validator.ts';
import { createSchemaQueue } from './schema-queue.ts';
import type { WaitingSchema } from './schema-queue.ts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

export type SchemaThread = SchemaValidator & { close: () => Promise<void> };

/** Memory limit of the thread, in MiB. Exceeding it ends only the thread. */
const MEMORY_MAX_MIB = 256;
/**
 * Timeout in milliseconds after which the thread is terminated: the task's own limits have failed.
 */
const TASK_TIMEOUT_MS = 30_000;
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

type Running = { one: WaitingSchema; timer: NodeJS.Timeout };

/**
 * Validates customers' schemas in a thread, because some patterns run practically forever and would
 * block the event loop. The thread starts with the first task and runs one task at a time. If it
 * dies, only its current task fails: with UNAVAILABLE, or as a schema that uses too much memory.
 */
export const openSchemaThread = (): SchemaThread => {
  const queue = createSchemaQueue();
  let isClosed = false;
  let worker: Worker | undefined;
  let running: Running | undefined;

  const end = (settle: (one: WaitingSchema) => void): void => {
    if (!running) return;
    const { one, timer } = running;
    clearTimeout(timer);
    running = undefined;
    settle(one);
    runNext();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./schema-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
    });
    // The thread must not keep the process alive.
    started.unref();
    started.on('message', (reply: SchemaReply) => end(({ resolve }) => resolve(reply)));
    const onDeath = (cause: unknown): void => {
      // An `error` event is followed by `exit`, when another thread may already have replaced this
      // one.
      if (worker !== started) return;
      worker = undefined;
      end((one) => settleDead(one, cause));
    };
    started.on('error', onDeath);
    started.on('exit', onDeath);
    return started;
  };
  const runNext = (): void => {
    const one = running || isClosed ? undefined : queue.take();
    if (!one) return;
    const asked = (worker ??= start());
    running = { one, timer: setTimeout(() => void asked.terminate(), TASK_TIMEOUT_MS) };
    asked.postMessage(one.task);
  };
  const ask = async (task: SchemaTask, asker: SchemaAsker): Promise<SchemaReply> => {
    const { workspaceId, signal } = asker;
    if (isClosed) throw gone();
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<SchemaReply>();
    const one: WaitingSchema = { task, workspaceId, resolve, reject };
    const onAbort = (): void => {
      queue.remove(one);
      reject(signal!.reason);
    };
    queue.add(one);
    signal?.addEventListener('abort', onAbort, { once: true });
    runNext();
    return await promise.finally(() => signal?.removeEventListener('abort', onAbort));
  };
  return {
    findError: async (schema, asker) => (await ask({ schema }, asker)).schemaError,
    findViolations: async (task, asker) => (await ask(task, asker)).violations ?? 'undecided',
    close: async () => {
      isClosed = true;
      for (const { reject } of queue.takeAll()) reject(gone());
      await worker?.terminate();
    },
  };
};

const settleDead = ({ task, resolve, reject }: WaitingSchema, cause: unknown): void => {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code !== OUT_OF_MEMORY) reject(gone(cause));
  else if (task.text !== undefined) resolve({});
  else resolve({ schemaError: { path: '', message: 'cannot be used: it takes too much memory' } });
};

const gone = (cause?: unknown): Error =>
  unavailable('The reader of schemas is not there at the moment; try again.', cause);
