import { encodeNativeError } from '../http/encode-native-error.ts';
import { COMMENT, setEventStreamHeaders, toEventFrame } from '../http/event-stream.ts';
import type { RouteCall } from '../http/route.ts';
import { withHeartbeats } from '../http/with-heartbeats.ts';
import { abortReasonOf, toStreamFailure } from './watch-key.ts';
import { writeChunk } from '../http/write-chunk.ts';

/** Maximum silence on a stream; shorter than the idle timeouts of proxies. */
const HEARTBEAT_MS = 15_000;
const TYPES = ['application/json', 'text/event-stream'];

export const wantsEventStream = ({ request }: Pick<RouteCall, 'request'>): boolean =>
  request.accepts(TYPES) === TYPES[1];

/**
 * Sends events as server-sent events, and a comment whenever none arrives for a while. Writes
 * nothing before the first of either, so an earlier failure is thrown and gets its own HTTP status;
 * a later failure is sent as an `error` event, which ends the stream. Returns false, having written
 * nothing, if there was no event. `encode` returns a frame, or an empty text to skip the event.
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
        setEventStreamHeaders(response);
        response.write(COMMENT);
      }
      const drained = writeChunk(response, event === undefined ? COMMENT : encode(event), signal);
      if (drained) await drained;
    }
    if (isOpen) response.end();
  } catch (error) {
    if (!isOpen) throw abortReasonOf(signal) ?? error;
    const failure = toStreamFailure(error, signal);
    if (!failure) return true;
    response.locals.reason = failure.reason;
    response.end(toEventFrame('error', encodeNativeError(failure, { requestId }).body));
  }
  return isOpen;
};
