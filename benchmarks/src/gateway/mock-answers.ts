import { TRAFFIC } from './traffic/traffic.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

/** Size of the body of a response that is not streamed. */
export const ANSWER_BYTES = 614;
/** Number of writes in which a response is streamed. */
export const STREAM_CHUNKS = 40;
/**
 * Milliseconds until a realistic provider sends the first token; PACED_GAP_MS later it sends each
 * further token.
 */
export const PACED_FIRST_MS = 50;
export const PACED_GAP_MS = 10;
/** Minimum duration of a paced stream. */
export const PACED_STREAM_MS = PACED_FIRST_MS + (STREAM_CHUNKS - 1) * PACED_GAP_MS;
/**
 * Part of a model's name that makes the fake provider stream at the pace of PACED_FIRST_MS and
 * PACED_GAP_MS.
 */
export const PACED_MARK = '-paced';

export type MockAnswers = {
  plain: Buffer;
  /** The frames of a stream, one buffer each. */
  stream: readonly Buffer[];
  /** One token per buffer; frames without a token are part of the first or the last buffer. */
  pacedStream: readonly Buffer[];
};

export const makeAnswers = (dialect: TrafficDialect): MockAnswers => {
  const traffic = TRAFFIC[dialect];
  const ends = traffic.makeFrames(0);
  const stream = traffic.makeFrames(STREAM_CHUNKS - ends.opening.length - ends.closing.length);
  const { opening, texts, closing } = traffic.makeFrames(STREAM_CHUNKS);
  const paced = texts.map((text, index) => [
    ...(index === 0 ? opening : []),
    text,
    ...(index === STREAM_CHUNKS - 1 ? closing : []),
  ]);
  return {
    plain: Buffer.from(traffic.makeAnswer(ANSWER_BYTES)),
    stream: [...stream.opening, ...stream.texts, ...stream.closing].map((frame) =>
      Buffer.from(frame),
    ),
    pacedStream: paced.map((frames) => Buffer.from(frames.join(''))),
  };
};
