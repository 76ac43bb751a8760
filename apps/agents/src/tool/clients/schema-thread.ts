import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import { openWorkerThread } from '@witan/service-kit';
import type { SchemaCaller, SchemaValidator } from '../tool.ts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

export type SchemaThread = SchemaValidator & { close: () => Promise<void> };

/** Limit of the thread's heap, in MiB. Exceeding it ends the thread, but not the process. */
const MEMORY_MAX_MIB = 256;
/** Time limit in milliseconds; reached only if the thread's own time limits fail. */
const TASK_TIMEOUT_MS = 30_000;
/** Maximum number of queued tasks per workspace, because their texts stay in memory. */
const QUEUED_MAX = 256;

/**
 * Opens a thread that validates customers' schemas, because some regular expressions in them run
 * practically forever and would block the event loop. If the thread crashes, its current task
 * rejects with UNAVAILABLE or, if the thread ran out of memory, returns a schema error or
 * `undecided`.
 */
export const openSchemaThread = (): SchemaThread => {
  const thread = openWorkerThread<SchemaTask, SchemaReply>({
    createWorker: () =>
      new Worker(new URL('./schema-thread-main.ts', import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
      }),
    timeoutMs: TASK_TIMEOUT_MS,
    assertFits: (_task, { own }) => {
      if (own.length < QUEUED_MAX) return;
      throw unavailable(`${QUEUED_MAX} schemas of this workspace wait to be read; try again.`);
    },
    toError: (cause) =>
      unavailable('The reader of schemas is not there at the moment; try again.', cause),
  });
  const run = async (
    task: SchemaTask,
    { workspaceId, signal }: SchemaCaller,
  ): Promise<SchemaReply> => {
    try {
      return await thread.run(task, { key: workspaceId, signal });
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      if (task.text !== undefined) return {};
      return { schemaError: { path: '', message: 'cannot be used: it takes too much memory' } };
    }
  };
  return {
    findError: async (schema, schemaCaller) => (await run({ schema }, schemaCaller)).schemaError,
    findViolations: async (task, schemaCaller) =>
      (await run(task, schemaCaller)).violations ?? 'undecided',
    close: thread.close,
  };
};

const isOutOfMemory = (error: unknown): boolean =>
  Error.isError(error) &&
  Error.isError(error.cause) &&
  'code' in error.cause &&
  error.cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
