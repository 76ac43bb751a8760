import type { Response } from 'express';
import { encodeNativeError } from '../http/encode-native-error.ts';
import type { RouteCall } from '../http/route.ts';
import { abortReasonOf, toStreamFailure } from '../http/route.ts';
import { writeChunk } from '../http/write-chunk.ts';

/**
 * A comment of an event stream, which clients ignore. Writing it flushes the headers and prevents
 * idle timeouts.
 */
export const COMMENT = ':\n\n';

/**
 * Time without events after which a comment is sent; shorter than the idle timeouts of common
 * proxies.
 */
export const HEARTBEAT_MS = 15_000;
const TYPES = ['application/json', 'text/event-stream'];

export const wantsEventStream = ({ request }: Pick<RouteCall, 'request'>): boolean =>
  request.accepts(TYPES) === TYPES[1];

/**
 * Sends events as server-sent events, and a comment whenever none arrives for a while. Writes
 * nothing before the first of either, so an earlier failure is thrown and gets its own HTTP status;
 * a later failure is sent as an `error` event, which ends the stream. Returns false if it has
 * written nothing, because the events ended before. `encode` returns a frame, or an empty text to
 * skip the event. With `onOpen`, which gets the first event before the headers are sent, nothing is
 * written before that event arrives.
 */
export const streamEvents = async <T>(
  events: AsyncIterable<T>,
  { response, signal, requestId }: RouteCall,
  encode: (event: T) => string,
  { onOpen }: { onOpen?: (first: T) => void } = {},
): Promise<boolean> => {
  let isOpen = false;
  try {
    for await (const event of withHeartbeats(events, HEARTBEAT_MS)) {
      if (!isOpen) {
        if (onOpen && event === undefined) continue;
        if (event !== undefined) onOpen?.(event);
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

export const setEventStreamHeaders = (response: Response): void => {
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('x-accel-buffering', 'no');
};

export const toEventFrame = (event: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Yields items as they arrive, and `undefined` whenever none arrived for `everyMs`. Requests an
 * item only after the previous one was consumed.
 */
export async function* withHeartbeats<T>(
  items: AsyncIterable<T>,
  everyMs: number,
): AsyncGenerator<T | undefined> {
  const reader = items[Symbol.asyncIterator]();
  try {
    let next = reader.next();
    for (;;) {
      const result = await withTimeout(next, everyMs);
      if (result?.done) return;
      yield result?.value;
      if (result) next = reader.next();
    }
  } finally {
    await reader.return?.();
  }
}

const withTimeout = async <T>(promise: Promise<T>, timeMs: number): Promise<T | undefined> => {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeMs);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
};
