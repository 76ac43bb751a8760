// Runs parsers of memory tags in a process of their own.
import { openMemoryReader } from '@witan/agents/memory-reader';
import { serveProgram } from '../../program/serve-program.ts';
import { splitAnswer, makeAnswer } from './make-answer.ts';
import type { AnswerKind } from './make-answer.ts';

/**
 * `reader`: the parser of the agents service. `scan`: a reference that searches each piece for `<`.
 */
export type TagSystem = 'scan' | 'reader';
export type TagRequest = {
  system: TagSystem;
  kind: AnswerKind;
  /** Size in bytes of the pieces in which the answer arrives; 0 for a single piece. */
  chunkBytes: number;
  measureMs: number;
};
export type TagResult = { bytes: number; elapsedMs: number };

type PieceReader = (pieces: readonly string[]) => { textLength: number; memories: number };

const readTags: PieceReader = (pieces) => {
  const reader = openMemoryReader();
  let text = '';
  for (const piece of pieces) text += reader.push(piece);
  const end = reader.end();
  text += end.text;
  return { textLength: text.length, memories: end.memories.length };
};

const scan: PieceReader = (pieces) => {
  let text = '';
  let found = 0;
  for (const piece of pieces) {
    for (let at = piece.indexOf('<'); at !== -1; at = piece.indexOf('<', at + 1)) found += 1;
    text += piece;
  }
  return { textLength: text.length, memories: found };
};

const run = async ({ system, kind, chunkBytes, measureMs }: TagRequest): Promise<TagResult> => {
  const { text, memories } = makeAnswer(kind);
  const pieces = splitAnswer(text, chunkBytes);
  const read = system === 'reader' ? readTags : scan;
  const startedAt = performance.now();
  let elapsedMs = 0;
  let bytes = 0;
  while (elapsedMs < measureMs) {
    const found = read(pieces);
    if (system === 'reader' && (found.memories !== memories || found.textLength > text.length)) {
      throw new Error(`${kind}: ${found.memories} memories, ${found.textLength} characters shown.`);
    }
    bytes += text.length;
    elapsedMs = performance.now() - startedAt;
  }
  return { bytes, elapsedMs };
};

serveProgram({ ready: {}, answer: run, stop: () => {} });
