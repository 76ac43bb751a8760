import { encodeError } from '../chat-completions/encode-error.ts';
import type { Failure, SentFrames } from '../dialect.ts';
import { asNumber, asObject, parseObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { encodeFrame, STREAM_END } from './encode-stream.ts';

/**
 * Encodes the failure of a stream as `response.failed` with the next number, then `[DONE]`. It
 * repeats the response that the stream began with. Before a response was sent, it is an `error`
 * event.
 */
export const encodeErrorFrame = (
  failure: Failure,
  { sent }: { sent?: SentFrames | undefined },
): string => {
  const { message, type, param, code } = encodeError(failure).body.error;
  const response = eventsOf(sent?.first ?? '')
    .map((event) => asObject(event.response))
    .find((found) => found !== undefined);
  const next = nextNumber(sent);
  const frame = response
    ? encodeFrame('response.failed', next, {
        response: {
          ...response,
          status: 'failed',
          output: [],
          error: { code: code ?? type, message },
        },
      })
    : encodeFrame('error', next, { code: code ?? type, message, param });
  return frame + STREAM_END;
};

const nextNumber = (sent: SentFrames | undefined): number => {
  const numbers = eventsOf(sent?.last ?? '').map((event) => asNumber(event.sequence_number) ?? -1);
  return Math.max(-1, ...numbers) + 1;
};

const eventsOf = (frames: string): JsonObject[] =>
  frames
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => parseObject(line.slice('data:'.length)))
    .filter((event) => event !== undefined);
