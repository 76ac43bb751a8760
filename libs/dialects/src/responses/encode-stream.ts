import type { AnswerHead, StreamEncoder } from '../dialect.ts';
import { statusOf, toResponse } from './encode-response.ts';
import { createItemWriter } from './write-items.ts';

/** Ends every stream, after its terminal event. */
export const STREAM_END = 'data: [DONE]\n\n';

export const encodeFrame = (type: string, sequenceNumber: number, members: object): string => {
  const event = { type, sequence_number: sequenceNumber, ...members };
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
};

/**
 * Creates an encoder of a stream for a client. Every frame has an `event:` line equal to its type
 * and the next number from 0. The stream begins with `response.created` and
 * `response.in_progress`, and ends with `response.completed` or `response.incomplete`, which has
 * the whole answer, and `[DONE]`.
 */
export const createStreamEncoder = (head: AnswerHead): StreamEncoder => {
  let sequenceNumber = 0;
  let frames = '';
  const write = (type: string, members: object): void => {
    frames += encodeFrame(type, sequenceNumber, members);
    sequenceNumber += 1;
  };
  const flush = (): string => {
    const text = frames;
    frames = '';
    return text;
  };
  const writer = createItemWriter(head, write);
  return {
    open: () => {
      const response = toResponse(head, { status: 'in_progress', output: [] });
      write('response.created', { response });
      write('response.in_progress', { response });
      return flush();
    },
    piece: (piece) => {
      writer.take(piece);
      return flush();
    },
    end: (tail) => {
      const status = statusOf(tail.finishReason);
      writer.end(status);
      const response = toResponse(head, { status, output: writer.output, tail });
      write(`response.${status}`, { response });
      return flush() + STREAM_END;
    },
  };
};
