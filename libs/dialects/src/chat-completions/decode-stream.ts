import type { AnswerPiece, StreamDecoder } from '../dialect.ts';
import { asList, asObject } from '../json/lenient.ts';
import { createQueue } from '../neutral/create-queue.ts';
import { bufferedSizeOf } from '../neutral/buffered-size.ts';
import { createCallAssembler } from './create-call-assembler.ts';
import type { Call } from './create-call-assembler.ts';
import { findChoice, toTextPieces } from './decode-response.ts';

/**
 * Decodes chunks of a provider's stream into ordered pieces. Accepts any input. While the arguments
 * of a call are incomplete JSON, all other pieces are buffered, because calls must not overlap.
 * This dialect does not report which stop sequence ended an answer.
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
  /**
   * Returns all pieces that can be emitted. While `canClose(open)` is false, later pieces stay
   * buffered.
   */
  const drain = (
    emit: (call: Call) => AnswerPiece[],
    canClose: (call: Call) => boolean,
  ): AnswerPiece[] => {
    const pieces = open ? emit(open) : [];
    while (queue.first && (open === undefined || canClose(open))) {
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
      return drain(calls.emitNamed, isCallDone);
    },
    end: () => drain(calls.emit, () => true),
    get bufferedSize() {
      return queuedLength + calls.bufferedSize;
    },
    stopSequence: '',
  };
};

const isCallDone = ({ isStarted, isReplaced, progress }: Call): boolean =>
  isStarted && (isReplaced || progress.isComplete);
