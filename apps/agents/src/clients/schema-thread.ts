import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import type { SchemaJudge } from '../domain/tool/schema-judge.ts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

/** The judge of schemas in a thread of its own, which the first of them starts. */
export type SchemaThread = SchemaJudge & { close: () => Promise<void> };

/** Memory of the thread, in MiB: what takes more takes the thread with it, and nothing else. */
const MEMORY_MAX_MIB = 256;
/** Tasks end by themselves long before; one that does not has stopped the thread, in ms. */
const TASK_TIMEOUT_MS = 60_000;

type Waiting = { resolve: (reply: SchemaReply) => void; reject: (error: Error) => void };

/**
 * Schemas are written by customers: some patterns take longer than the world is old, and a service
 * that reads one by itself answers nobody meanwhile. Rejects with UNAVAILABLE when the thread dies.
 */
export const openSchemaThread = (): SchemaThread => {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isClosed = false;
  let worker: Worker | undefined;

  const start = (): Worker => {
    const started = new Worker(new URL('./schema-thread-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
    });
    // A service that stops does not wait for it.
    started.unref();
    started.on('message', ({ id, ...reply }: SchemaReply & { id: number }) => {
      waiting.get(id)?.resolve(reply);
    });
    const onDeath = (cause: unknown): void => {
      // One that died with an error exits as well, when another may have taken its place.
      if (worker !== started) return;
      worker = undefined;
      for (const one of waiting.values()) one.reject(gone(cause));
    };
    started.on('error', onDeath);
    started.on('exit', onDeath);
    return started;
  };

  const ask = async (task: SchemaTask): Promise<SchemaReply> => {
    if (isClosed) throw gone();
    const asked = (worker ??= start());
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<SchemaReply>();
    waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => void asked.terminate(), TASK_TIMEOUT_MS);
    asked.postMessage({ id, ...task });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };
  return {
    findFault: async (schema) => (await ask({ schema })).fault,
    findMisfits: async (schema, text) => (await ask({ schema, text })).misfits ?? 'undecided',
    close: async () => {
      isClosed = true;
      await worker?.terminate();
    },
  };
};

const gone = (cause?: unknown): Error =>
  unavailable('The reader of schemas is not there at the moment; try again.', cause);
