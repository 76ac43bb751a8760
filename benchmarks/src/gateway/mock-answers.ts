import { TRAFFIC } from './traffic/traffic.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

/** Bytes of a plain answer's body. */
export const ANSWER_BYTES = 614;
/** Writes of a streamed answer. */
export const STREAM_CHUNKS = 40;
/** A realistic provider: time to the first token, and between two chunks. */
export const PACED_FIRST_MS = 50;
export const PACED_GAP_MS = 10;
/** The shortest time in which a paced stream can be over. */
export const PACED_STREAM_MS = PACED_FIRST_MS + (STREAM_CHUNKS - 1) * PACED_GAP_MS;
/** A model whose name holds this is answered at that pace. */
export const PACED_MARK = '-paced';

/** What the provider answers in one dialect. */
export type MockAnswers = {
  plain: Buffer;
  /** Every frame on its own. */
  stream: readonly Buffer[];
  /** As many chunks, each with a token: what is no token travels with one. */
  pacedStream: readonly Buffer[];
};

/** The answers of a dialect, made once. */
export const makeAnswers = (dialect: TrafficDialect): MockAnswers => {
  const traffic = TRAFFIC[dialect];
  const { opening, closing } = traffic.makeFrames(0);
  const { texts } = traffic.makeFrames(STREAM_CHUNKS - opening.length - closing.length);
  const paced = traffic
    .makeFrames(STREAM_CHUNKS)
    .texts.map((text, place) => [
      ...(place === 0 ? opening : []),
      text,
      ...(place === STREAM_CHUNKS - 1 ? closing : []),
    ]);
  return {
    plain: Buffer.from(traffic.makeAnswer(ANSWER_BYTES)),
    stream: [...opening, ...texts, ...closing].map((frame) => Buffer.from(frame)),
    pacedStream: paced.map((frames) => Buffer.from(frames.join(''))),
  };
};
