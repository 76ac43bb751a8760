import type { AnswerPiece, StreamDecoder } from '../dialect.ts';
import { asList, asObject } from '../json/lenient.ts';
import { createQueue } from '../neutral/create-queue.ts';
import { bufferedSizeOf } from '../neutral/buffered-size.ts';
import { createCallAssembler } from './create-call-assembler.ts';
import type { Call } from './create-call-assembler.ts';
import { findChoice, toTextPieces } from './decode-response.ts';

/**
 * Decodes chunks of a provider's stream into ordered pieces; accepts any input. Until the arguments
 * of a call are complete JSON, all other pieces are buffered, because calls must not overlap; most
 * providers send them in order, so usually nothing is buffered. The dialect does not report which
 * stop sequence ended an answer.
 */
export const createStreamDecoder = (): StreamDecoder => {
  const calls = createCallAssembler();
  const queue = createQueue<Call | AnswerPiece>();
  let queuedLength = 0;
  let open: Call | undefined;

  const enqueue = (piece: AnswerPiece): void => {
    queue.push(piece);
    queuedLength += bufferedSizeOf(piece);
  };
  /** Returns every piece that can be emitted; `canGo` tells whether an open call blocks others. */
  const drain = (
    emit: (call: Call) => AnswerPiece[],
    canGo: (call: Call) => boolean,
  ): AnswerPiece[] => {
    const pieces = open ? emit(open) : [];
    while (queue.first && (open === undefined || canGo(open))) {
      const next = queue.shift()!;
      if ('progress' in next) {
        open = next;
        for (const piece of emit(next)) pieces.push(piece);
      } else {
        open = undefined;
        queuedLength -= bufferedSizeOf(next);
        pieces.push(next);
      }
    }
    return pieces;
  };

  return {
    push: (chunk) => {
      const delta = asObject(findChoice(chunk)?.delta);
      if (!delta) return [];
      for (const piece of toTextPieces(delta)) enqueue(piece);
      for (const item of asList(delta.tool_calls)) {
        const piece = asObject(item);
        if (!piece) continue;
        const { call, isNew } = calls.take(piece);
        if (isNew) queue.push(call);
      }
      return drain(calls.emitNamed, isDone);
    },
    end: () => drain(calls.emit, () => true),
    get bufferedSize() {
      return queuedLength + calls.bufferedSize;
    },
    stopSequence: '',
  };
};

const isDone = ({ isStarted, isOver, progress }: Call): boolean =>
  isStarted && (isOver || progress.isComplete);
