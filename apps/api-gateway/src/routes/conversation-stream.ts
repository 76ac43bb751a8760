import type { DebateEvent } from '@witan/contracts';
import { toPublicError } from '@witan/service-kit';
import { encodeNativeError } from '../errors/encode-native-error.ts';
import { COMMENT, nameEventStream, toEventFrame } from '../http/event-stream.ts';
import type { Reply, RouteCall } from '../http/route.ts';
import { withHeartbeats } from '../http/with-heartbeats.ts';
import { writeChunk } from '../http/write-chunk.ts';
import { encodeDebateEvent } from './encode-debate-event.ts';
import { toEventId } from './read-last-event-id.ts';

/** Agents may think for half a minute; proxies give up on silence after one, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/**
 * Hands a debate on as server-sent events. Nothing is written before its first event or a first
 * silence, so every early failure has its true status; a later one is an `error`, and nothing
 * follows it. A debate of which nothing is left to tell is answered with 204, which tells an
 * EventSource not to come back.
 */
export const streamDebate = async (
  events: AsyncIterable<DebateEvent>,
  call: RouteCall,
): Promise<Reply | undefined> => {
  const { response, signal, requestId } = call;
  let isOpen = false;
  try {
    for await (const event of withHeartbeats(events, HEARTBEAT_MS)) {
      if (!isOpen) {
        isOpen = true;
        nameEventStream(response);
        response.write(COMMENT);
      }
      const room = writeChunk(response, event ? encodeFrame(event, call) : COMMENT, signal);
      if (room) await room;
    }
  } catch (error) {
    if (!isOpen) throw error;
    // A client that left reads nothing more.
    if (signal.aborted) return undefined;
    const failure = toPublicError(error);
    response.locals.reason = failure.reason;
    response.end(toEventFrame('error', encodeNativeError(failure, { requestId }).body));
    return undefined;
  }
  if (!isOpen) return { status: 204 };
  response.end();
  return undefined;
};

const encodeFrame = (event: DebateEvent, call: RouteCall): string => {
  const told = encodeDebateEvent(event, call);
  return told ? toEventFrame(told.name, told.data, toEventId(event)) : '';
};
