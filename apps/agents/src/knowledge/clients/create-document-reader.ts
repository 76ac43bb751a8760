import { ServiceError, unavailable } from '@witan/contracts';
import { createFairQueue } from '@witan/service-kit';
import { DocumentRefusal, tooManyBytes } from '../documents/document-refusals.ts';
import { MAX_DOCUMENT_BYTES } from '../documents/document-text.ts';
import type { ChunkedDocument, ReadDocument } from '../documents/document-text.ts';
import { recogniseFormat } from '../documents/recognise-format.ts';
import { readInProcess, READING_LIMITS } from './document-process.ts';
import type { ReadingLimits } from './document-process-main.ts';
import { readFormat } from './read-format.ts';
import type { DocumentTask } from './read-format.ts';

export type DocumentReader = {
  readDocument: ReadDocument;
  close: () => Promise<void>;
};

type DocumentReaderSettings = {
  /**
   * Maximum number of reading processes. If it is above 1, one owner may use all but one of them.
   */
  processes: number;
  waiting: number;
  limits: ReadingLimits;
};

export const DEFAULT_DOCUMENT_READER: DocumentReaderSettings = {
  processes: 2,
  waiting: 16,
  limits: READING_LIMITS,
};

/**
 * Settings for reading documents from the queue: one process, and a longer time limit than for
 * documents that are read during their upload.
 */
export const BACKGROUND_DOCUMENT_READER: DocumentReaderSettings = {
  processes: 1,
  waiting: 1,
  limits: { ...READING_LIMITS, timeMs: 180_000 },
};

/**
 * Size in bytes up to which plain text and Markdown are read in this process, because starting
 * another process would take longer than reading them.
 */
const IN_PROCESS_MAX_BYTES = 256 * 1024;

export const createDocumentReader = (
  settings: DocumentReaderSettings = DEFAULT_DOCUMENT_READER,
  readOne: typeof readInProcess = readInProcess,
): DocumentReader => {
  const closeController = new AbortController();
  const slots = createSlots(settings);
  const running = new Set<Promise<unknown>>();

  const readInChild = async (
    task: DocumentTask,
    owner: string,
    signal: AbortSignal,
  ): Promise<ChunkedDocument> => {
    const release = await slots.take(owner, signal);
    const reading = readOne(task, signal, settings.limits).finally(release);
    running.add(reading);
    return reading.finally(() => running.delete(reading));
  };
  const read: ReadDocument = async (bytes, { owner, ...hint }, caller) => {
    const signal = AbortSignal.any(
      caller ? [closeController.signal, caller] : [closeController.signal],
    );
    signal.throwIfAborted();
    if (bytes.length > MAX_DOCUMENT_BYTES) throw tooManyBytes();
    const task = { format: recogniseFormat(bytes, hint), bytes, hint };
    const isPlainText = task.format === 'text' || task.format === 'markdown';
    if (!isPlainText || bytes.length > IN_PROCESS_MAX_BYTES)
      return readInChild(task, owner, signal);
    return readFormat(task);
  };
  return {
    readDocument: (...document) =>
      read(...document).catch((error: unknown) => {
        throw error instanceof DocumentRefusal ? toServiceError(error) : error;
      }),
    close: async () => {
      closeController.abort(unavailable('The service stops; try again.'));
      await Promise.allSettled(running);
    },
  };
};

const toServiceError = ({ reason, message, cause }: DocumentRefusal): ServiceError =>
  new ServiceError(reason, message, { cause });

/**
 * Creates a semaphore that serves owners round-robin. If there are several slots, one owner may use
 * all but one; it may use about half of the part of the queue that other owners leave free. Other
 * owners can thus start and queue reads, too.
 */
const createSlots = ({
  processes,
  waiting,
}: Pick<DocumentReaderSettings, 'processes' | 'waiting'>) => {
  const share = Math.max(1, processes - 1);
  const queue = createFairQueue<() => void>();
  const running = new Map<string, number>();
  let free = processes;
  const canStart = (owner: string): boolean => free > 0 && (running.get(owner) ?? 0) < share;
  const start = (owner: string): void => {
    free -= 1;
    running.set(owner, (running.get(owner) ?? 0) + 1);
  };
  const release = (owner: string): void => {
    free += 1;
    const runningCount = running.get(owner)! - 1;
    if (runningCount > 0) running.set(owner, runningCount);
    else running.delete(owner);
    queue.take(canStart)?.();
  };
  const wait = async (owner: string, signal: AbortSignal): Promise<void> => {
    if (queue.items(owner).length + 1 > waiting - queue.size()) {
      throw unavailable('Too many documents wait to be read; try again.');
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onTurn = (): void => {
      start(owner);
      resolve();
    };
    const onAbort = (): void => {
      queue.remove(owner, onTurn);
      reject(signal.reason);
    };
    queue.add(owner, onTurn);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  };
  return {
    /**
     * Waits for a slot and resolves with a function that releases it. Rejects with UNAVAILABLE if
     * the owner's share of the queue is full, or with the signal's reason.
     */
    take: async (owner: string, signal: AbortSignal): Promise<() => void> => {
      if (canStart(owner)) start(owner);
      else await wait(owner, signal);
      return () => release(owner);
    },
  };
};
