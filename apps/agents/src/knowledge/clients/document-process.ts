import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { unavailable } from '@witan/contracts';
import {
  damagedDocument,
  DocumentRefusal,
  tooMuchMemory,
  tooMuchTime,
} from '../documents/document-refusals.ts';
import type { ChunkedDocument } from '../documents/document-text.ts';
import type { DocumentReply, DocumentRequest, ReadingLimits } from './document-process-main.ts';
import type { DocumentTask } from './read-format.ts';

const MEBIBYTE = 1024 * 1024;

export const READING_LIMITS: ReadingLimits = {
  timeMs: 60_000,
  baseTimeMs: 10_000,
  timeMsPerMebibyte: 20_000,
  heapBytes: 512 * MEBIBYTE,
  processBytes: 1024 * MEBIBYTE,
};

/**
 * Reads a document in its own process, so that a hostile document cannot affect other reads.
 * Resolves or rejects only after that process has ended. A thread would not suffice: the memory of
 * its buffers is not limited, and running out of memory in it can end the whole process.
 */
export const readInProcess = async (
  task: DocumentTask,
  signal: AbortSignal,
  limits: ReadingLimits = READING_LIMITS,
): Promise<ChunkedDocument> => {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(new URL('./document-process-main.ts', import.meta.url)), {
    execArgv: [`--max-old-space-size=${Math.ceil(limits.heapBytes / MEBIBYTE)}`],
    // The child must not inherit the environment, which contains secrets.
    env: {},
    serialization: 'advanced',
    // Standard output and error are ignored, because parsers print content of the document.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const closed = once(child, 'close');
  const { promise, resolve, reject } = Promise.withResolvers<DocumentReply>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  child.on('message', (reply) => resolve(reply as DocumentReply));
  child.on('error', (error) => reject(unavailable('Documents cannot be read now.', error)));
  child.on('exit', (code, killedBy) => reject(toRefusal(code, killedBy)));
  const timeMs = timeLimitFor(task.bytes.length, limits);
  const timer = setTimeout(() => reject(tooMuchTime()), timeMs);
  const request: DocumentRequest = { task, limits: { ...limits, timeMs } };
  // A failed send needs no handling, because the exit event rejects the promise.
  child.send(request, () => {});
  try {
    return toDocument(await promise);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await endProcess(child, closed);
  }
};

export const timeLimitFor = (
  bytes: number,
  { timeMs, baseTimeMs, timeMsPerMebibyte }: ReadingLimits,
): number => Math.min(timeMs, baseTimeMs + (bytes / MEBIBYTE) * timeMsPerMebibyte);

/**
 * Kills a child process and waits for its exit. A child that failed to start has no pid and emits
 * no exit event, so it is not awaited.
 */
const endProcess = async (child: ChildProcess, closed: Promise<unknown>): Promise<void> => {
  if (child.pid === undefined) return;
  child.kill('SIGKILL');
  await closed;
};

/**
 * Signals that end a process which used too much memory: V8 aborts if its heap is full, and the
 * watchdog kills a process above `processBytes`.
 */
const OUT_OF_MEMORY: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL', 'SIGTRAP'];

const toRefusal = (code: number | null, killedBy: NodeJS.Signals | null): DocumentRefusal =>
  OUT_OF_MEMORY.includes(killedBy)
    ? tooMuchMemory()
    : damagedDocument('The document', `exit ${code ?? killedBy}`);

const toDocument = (reply: DocumentReply): ChunkedDocument => {
  if ('refusal' in reply) throw new DocumentRefusal(reply.refusal.reason, reply.refusal.message);
  if ('errorName' in reply) throw damagedDocument('The document', reply.errorName);
  return reply.document;
};
