import { TRAFFIC } from './traffic/traffic.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

/** Size of the body of a response that is not streamed. */
export const ANSWER_BYTES = 614;
/** Number of writes in which a response is streamed. */
export const STREAM_CHUNKS = 40;

/** A plain response, and the frames of a stream, one buffer each. */
export type MockAnswers = { plain: Buffer; stream: readonly Buffer[] };

export const makeAnswers = (dialect: TrafficDialect): MockAnswers => {
  const traffic = TRAFFIC[dialect];
  const ends = traffic.makeFrames(0);
  const stream = traffic.makeFrames(STREAM_CHUNKS - ends.opening.length - ends.closing.length);
  return {
    plain: Buffer.from(traffic.makeAnswer(ANSWER_BYTES)),
    stream: [...stream.opening, ...stream.texts, ...stream.closing].map((frame) =>
      Buffer.from(frame),
    ),
  };
};
