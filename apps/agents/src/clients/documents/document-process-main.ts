import { Worker } from 'node:worker_threads';
import type { Reason } from '@witan/contracts';
import { splitChunks } from '../../domain/knowledge/chunks/split-chunks.ts';
import { DocumentRefusal } from '../../domain/knowledge/documents/document-refusals.ts';
import type { DocumentText } from '../../domain/knowledge/documents/document-text.ts';
import type { ReadingLimits } from './document-process.ts';
import { readFormat } from './read-format.ts';
import type { DocumentTask } from './read-format.ts';

export type DocumentRequest = { task: DocumentTask; limits: ReadingLimits };

/** The document and its chunks' places, a refusal, or the name of what was thrown. */
export type DocumentReply =
  | { document: DocumentText; positions: Int32Array }
  | { refusal: { reason: Reason; message: string } }
  | { errorName: string };

/** Three numbers a chunk: start, end, and page or 0. */
const toPositions = (document: DocumentText): Int32Array =>
  Int32Array.from(splitChunks(document).flatMap(({ start, end, page }) => [start, end, page ?? 0]));

const answer = async (task: DocumentTask): Promise<DocumentReply> => {
  try {
    const document = await readFormat(task);
    return { document, positions: toPositions(document) };
  } catch (error) {
    if (error instanceof DocumentRefusal) {
      return { refusal: { reason: error.reason, message: error.message } };
    }
    return { errorName: error instanceof Error ? error.name : typeof error };
  }
};

// Without its parent nobody waits for it.
process.once('disconnect', () => process.exit());

const readOnce = async ({ task, limits }: DocumentRequest): Promise<void> => {
  // It watches from a thread, because a parser may never come back.
  const watch = new Worker(new URL('./watch-process.ts', import.meta.url), { workerData: limits });
  const reply = await answer(task);
  watch.unref();
  process.send?.(reply);
};

/** The process of `document-process.ts`: it reads one document, and its parent ends it. */
process.once('message', (request: DocumentRequest) => void readOnce(request));
