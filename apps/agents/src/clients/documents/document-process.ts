import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { unavailable } from '@witan/contracts';
import type { Chunk } from '../../domain/knowledge/chunks/split-chunks.ts';
import {
  damagedDocument,
  DocumentRefusal,
  tooMuchMemory,
  tooMuchTime,
} from '../../domain/knowledge/documents/document-refusals.ts';
import type { ChunkedDocument } from '../../domain/knowledge/documents/document-text.ts';
import type { DocumentReply, DocumentRequest } from './document-process-main.ts';
import type { DocumentTask } from './read-format.ts';

/** What one document may take. */
export type ReadingLimits = {
  /** At most, however long it is. */
  timeMs: number;
  /** A short document can be made to take as long as a long one: its time goes by its length. */
  baseTimeMs: number;
  timeMsPerMebibyte: number;
  /** Of objects and texts. */
  heapBytes: number;
  /** Of all that the process has: a packed stream can be much larger than it looks. */
  processBytes: number;
};

const MEBIBYTE = 1024 * 1024;

export const READING_LIMITS: ReadingLimits = {
  timeMs: 60_000,
  baseTimeMs: 10_000,
  timeMsPerMebibyte: 20_000,
  heapBytes: 512 * MEBIBYTE,
  processBytes: 1024 * MEBIBYTE,
};

/**
 * Reads a document in a process of its own, which has ended when this settles: whatever the
 * document does to its reader, nobody else's is touched. A thread would not do: one that runs out
 * of memory can take the whole process with it, and buffers are not bounded in it at all.
 */
export const readInProcess = async (
  task: DocumentTask,
  signal: AbortSignal,
  limits: ReadingLimits = READING_LIMITS,
): Promise<ChunkedDocument> => {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(new URL('./document-process-main.ts', import.meta.url)), {
    execArgv: [`--max-old-space-size=${Math.ceil(limits.heapBytes / MEBIBYTE)}`],
    // It is given the document, and nothing of what the service knows.
    env: {},
    serialization: 'advanced',
    // What a parser prints is about the document.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'close');
  const { promise, resolve, reject } = Promise.withResolvers<DocumentReply>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  child.on('message', (reply) => resolve(reply as DocumentReply));
  child.on('error', (error) => reject(unavailable('Documents cannot be read now.', error)));
  child.on('exit', (code, killedBy) => reject(toRefusal(code, killedBy)));
  const timeMs = timeFor(task.bytes.length, limits);
  const timer = setTimeout(() => reject(tooMuchTime()), timeMs);
  const request: DocumentRequest = { task, limits: { ...limits, timeMs } };
  // One that has ended already says so itself.
  child.send(request, () => {});
  try {
    return toDocument(await promise);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await endProcess(child, ended);
  }
};

/** How long a document of so many bytes may be read, in milliseconds. */
export const timeFor = (
  bytes: number,
  { timeMs, baseTimeMs, timeMsPerMebibyte }: ReadingLimits,
): number => Math.min(timeMs, baseTimeMs + (bytes / MEBIBYTE) * timeMsPerMebibyte);

/** One that never started has no id, and does not end. */
const endProcess = async (child: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  if (child.pid === undefined) return;
  child.kill('SIGKILL');
  await ended;
};

/** V8 aborts a process whose heap is full; its watch kills one that has too much beside it. */
const OUT_OF_MEMORY: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL', 'SIGTRAP'];

/** What ended the process: a parser's fault is the document's, whose parser it was not. */
const toRefusal = (code: number | null, killedBy: NodeJS.Signals | null): DocumentRefusal =>
  OUT_OF_MEMORY.includes(killedBy)
    ? tooMuchMemory()
    : damagedDocument('The document', `exit ${code ?? killedBy}`);

const toDocument = (reply: DocumentReply): ChunkedDocument => {
  if ('refusal' in reply) throw new DocumentRefusal(reply.refusal.reason, reply.refusal.message);
  if ('errorName' in reply) throw damagedDocument('The document', reply.errorName);
  const { document, positions } = reply;
  const chunks: Chunk[] = [];
  for (let at = 0; at < positions.length; at += 3) {
    const [start, end, page] = [positions[at]!, positions[at + 1]!, positions[at + 2]!];
    const text = document.text.slice(start, end);
    chunks.push({ index: at / 3, text, start, end, page: page || null });
  }
  return { ...document, chunks };
};
