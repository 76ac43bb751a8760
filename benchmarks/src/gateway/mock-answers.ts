import { TRAFFIC } from './traffic/traffic.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

/** Bytes of a plain response's body. */
export const ANSWER_BYTES = 614;
/** Writes of a streamed response. */
export const STREAM_CHUNKS = 40;
/** A realistic provider: time to the first token, and between two chunks. */
export const PACED_FIRST_MS = 50;
export const PACED_GAP_MS = 10;
/** Minimum duration of a paced stream. */
export const PACED_STREAM_MS = PACED_FIRST_MS + (STREAM_CHUNKS - 1) * PACED_GAP_MS;
/** Marks the name of a model that is answered at that pace. */
export const PACED_MARK = '-paced';

export type MockAnswers = {
  plain: Buffer;
  /** One buffer per frame. */
  stream: readonly Buffer[];
  /** One token per chunk; other frames travel with one. */
  pacedStream: readonly Buffer[];
};

export const makeAnswers = (dialect: TrafficDialect): MockAnswers => {
  const traffic = TRAFFIC[dialect];
  const { opening, closing } = traffic.makeFrames(0);
  const { texts } = traffic.makeFrames(STREAM_CHUNKS - opening.length - closing.length);
  const paced = traffic
    .makeFrames(STREAM_CHUNKS)
    .texts.map((text, index) => [
      ...(index === 0 ? opening : []),
      text,
      ...(index === STREAM_CHUNKS - 1 ? closing : []),
    ]);
  return {
    plain: Buffer.from(traffic.makeAnswer(ANSWER_BYTES)),
    stream: [...opening, ...texts, ...closing].map((frame) => Buffer.from(frame)),
    pacedStream: paced.map((frames) => Buffer.from(frames.join(''))),
  };
};
