import { ServiceError, unavailable } from '@witan/contracts';
import { splitChunks } from '../../domain/knowledge/chunks/split-chunks.ts';
import {
  DocumentRefusal,
  tooManyBytes,
} from '../../domain/knowledge/documents/document-refusals.ts';
import { MAX_DOCUMENT_BYTES } from '../../domain/knowledge/documents/document-text.ts';
import type {
  ChunkedDocument,
  ReadDocument,
} from '../../domain/knowledge/documents/document-text.ts';
import { recogniseFormat } from '../../domain/knowledge/documents/recognise-format.ts';
import { readInProcess, READING_LIMITS } from './document-process.ts';
import type { ReadingLimits } from './document-process.ts';
import { readFormat } from './read-format.ts';
import type { DocumentTask } from './read-format.ts';

export type DocumentReader = {
  readDocument: ReadDocument;
  /** Ends the processes; what is read or waits is refused. */
  close: () => Promise<void>;
};

export type DocumentReaderSettings = {
  /** Documents that are read at the same time. */
  processes: number;
  /** Documents that may wait. */
  waiting: number;
  limits: ReadingLimits;
};

export const DEFAULT_DOCUMENT_READER: DocumentReaderSettings = {
  processes: 2,
  waiting: 16,
  limits: READING_LIMITS,
};

/** Plain text up to so many bytes is read at once: it costs less than a process. */
const MAX_BYTES_HERE = 256 * 1024;

/** Reads documents: short plain text at once, each other one in a process of its own. */
export const createDocumentReader = (
  settings: DocumentReaderSettings = DEFAULT_DOCUMENT_READER,
): DocumentReader => {
  const closing = new AbortController();
  const slots = createSlots(settings);
  const running = new Set<Promise<unknown>>();

  const readAside = async (task: DocumentTask, signal: AbortSignal): Promise<ChunkedDocument> => {
    const release = await slots.take(signal);
    const reading = readInProcess(task, signal, settings.limits).finally(release);
    running.add(reading);
    return reading.finally(() => running.delete(reading));
  };
  const read: ReadDocument = async (bytes, hint, caller) => {
    const signal = AbortSignal.any(caller ? [closing.signal, caller] : [closing.signal]);
    signal.throwIfAborted();
    if (bytes.length > MAX_DOCUMENT_BYTES) throw tooManyBytes();
    const task = { format: recogniseFormat(bytes, hint), bytes, hint };
    const isPlain = task.format === 'text' || task.format === 'markdown';
    if (!isPlain || bytes.length > MAX_BYTES_HERE) return readAside(task, signal);
    const document = await readFormat(task);
    return { ...document, chunks: splitChunks(document) };
  };
  return {
    readDocument: (...document) =>
      read(...document).catch((error: unknown) => {
        throw error instanceof DocumentRefusal ? toServiceError(error) : error;
      }),
    close: async () => {
      closing.abort(unavailable('The service stops; try again.'));
      await Promise.allSettled(running);
    },
  };
};

const toServiceError = ({ reason, message, cause }: DocumentRefusal): ServiceError =>
  new ServiceError(reason, message, { cause });

/** Lets so many in at a time, in their order. */
const createSlots = ({
  processes,
  waiting,
}: Pick<DocumentReaderSettings, 'processes' | 'waiting'>) => {
  const queue = new Set<() => void>();
  let free = processes;
  const release = (): void => {
    const [next] = queue;
    if (!next) free += 1;
    else {
      queue.delete(next);
      next();
    }
  };
  return {
    /** Answers its release. Throws UNAVAILABLE when too many wait, or the signal's reason. */
    take: async (signal: AbortSignal): Promise<() => void> => {
      if (free > 0) {
        free -= 1;
        return release;
      }
      if (queue.size >= waiting) {
        throw unavailable('Too many documents wait to be read; try again.');
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onAbort = (): void => {
        queue.delete(resolve);
        reject(signal.reason);
      };
      queue.add(resolve);
      signal.addEventListener('abort', onAbort, { once: true });
      await promise.finally(() => signal.removeEventListener('abort', onAbort));
      return release;
    },
  };
};
