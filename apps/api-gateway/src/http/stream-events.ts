import { encodeNativeError } from '../errors/encode-native-error.ts';
import { COMMENT, nameEventStream, toEventFrame } from './event-stream.ts';
import type { RouteCall } from './route.ts';
import { withHeartbeats } from './with-heartbeats.ts';
import { endingOf, toStreamFailure } from './watch-key.ts';
import { writeChunk } from './write-chunk.ts';

/** Councils and models may be silent for longer than proxies bear, in milliseconds. */
const HEARTBEAT_MS = 15_000;
const TYPES = ['application/json', 'text/event-stream'];

/** True for who accepts events only, or before JSON: who accepts anything gets JSON. */
export const wantsEventStream = ({ request }: Pick<RouteCall, 'request'>): boolean =>
  request.accepts(TYPES) === TYPES[1];

/**
 * Hands what happens on as server-sent events, with a comment after each silence. Nothing is
 * written before the first event or a first silence, so an early failure is thrown and has its true
 * status; a later one is an `error` as errors are answered elsewhere, and nothing follows it.
 * Answers false when there was no event at all, and nothing is written then. `encode` gives a
 * frame, or an empty text for what is not told.
 */
export const streamEvents = async <T>(
  events: AsyncIterable<T>,
  { response, signal, requestId }: RouteCall,
  encode: (event: T) => string,
): Promise<boolean> => {
  let isOpen = false;
  try {
    for await (const event of withHeartbeats(events, HEARTBEAT_MS)) {
      if (!isOpen) {
        isOpen = true;
        nameEventStream(response);
        response.write(COMMENT);
      }
      const room = writeChunk(response, event === undefined ? COMMENT : encode(event), signal);
      if (room) await room;
    }
    if (isOpen) response.end();
  } catch (error) {
    if (!isOpen) throw endingOf(signal) ?? error;
    const failure = toStreamFailure(error, signal);
    if (!failure) return true;
    response.locals.reason = failure.reason;
    response.end(toEventFrame('error', encodeNativeError(failure, { requestId }).body));
  }
  return isOpen;
};
