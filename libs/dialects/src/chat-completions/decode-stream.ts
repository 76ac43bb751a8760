import type { AnswerPiece, StreamDecoder } from '../dialect.ts';
import { asList, asObject } from '../json/lenient.ts';
import { createQueue } from '../neutral/create-queue.ts';
import { bufferedSizeOf } from '../neutral/buffered-size.ts';
import { createCallAssembler } from './create-call-assembler.ts';
import type { Call } from './create-call-assembler.ts';
import { findChoice, toTextPieces } from './decode-response.ts';

/**
 * Creates a decoder of a provider's stream, which returns pieces in order and never throws,
 * whatever the chunks contain. While the arguments of a tool call are incomplete JSON, all other
 * pieces are buffered, because the pieces of two calls must not be mixed. No stop sequence is
 * named, because this dialect does not report which one ended an answer.
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
   * Returns the pieces that can be emitted now. While `canClose` is false for the open tool call,
   * the pieces after it stay in the queue.
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
        const { call, isNew } = calls.addPiece(piece);
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
