import { Worker } from 'node:worker_threads';
import type { Reason } from '@witan/contracts';
import { DocumentRefusal } from '../documents/document-refusals.ts';
import type { ChunkedDocument } from '../documents/document-text.ts';
import { readFormat } from './read-format.ts';
import type { DocumentTask } from './read-format.ts';

export type DocumentRequest = { task: DocumentTask; limits: ReadingLimits };

export type DocumentReply =
  | { document: ChunkedDocument }
  | { refusal: { reason: Reason; message: string } }
  | { errorName: string };

const readTask = async (task: DocumentTask): Promise<DocumentReply> => {
  try {
    return { document: await readFormat(task) };
  } catch (error) {
    if (error instanceof DocumentRefusal) {
      return { refusal: { reason: error.reason, message: error.message } };
    }
    return { errorName: error instanceof Error ? error.name : typeof error };
  }
};

// Exits when the parent process has died, because the result would have no receiver.
process.once('disconnect', () => process.exit());

const readOnce = async ({ task, limits }: DocumentRequest): Promise<void> => {
  // The watchdog runs in its own thread, because a parser may block this event loop forever.
  const watchdog = new Worker(new URL('./watch-process.ts', import.meta.url), {
    workerData: limits,
  });
  const reply = await readTask(task);
  watchdog.unref();
  process.send?.(reply);
};

/** Entry point of the child process: it reads one document and is then killed by the parent. */
process.once('message', (request: DocumentRequest) => void readOnce(request));

export type ReadingLimits = {
  timeMs: number;
  /**
   * Time limit for an empty document; `timeMsPerMebibyte` is added for its size, up to `timeMs` in
   * total. Short documents get less time, because they can be crafted to be slow.
   */
  baseTimeMs: number;
  timeMsPerMebibyte: number;
  heapBytes: number;
  /**
   * Memory limit of the whole process, because `heapBytes` does not limit buffers, to which a
   * compressed stream can expand.
   */
  processBytes: number;
};
