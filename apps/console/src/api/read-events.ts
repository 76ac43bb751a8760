import { createSseSplitter } from '@witan/proof';
import type { SseFrame } from '@witan/proof';
import { CONSOLE_HEADERS } from './api.ts';
import { ApiError } from './api-error.ts';

export type ServerEvent = { id: string | undefined; event: string; data: string };

export type EventsRequest = {
  method?: 'GET' | 'POST';
  body?: unknown;
  signal: AbortSignal;
  lastEventId?: string | undefined;
  /** Names of events after which the stream is complete; others that end are resumed. */
  isLast: (event: ServerEvent) => boolean;
  /** How often in a row a lost connection is opened again; 0 for a call that must not repeat. */
  reconnectsMax?: number;
  /** Called when the connection was lost and will be opened again. */
  onReconnect?: (attempt: number) => void;
};

const RECONNECTS_MAX = 6;
const RECONNECT_FIRST_MS = 500;
const NO_CONTENT = 204;

/**
 * Reads a stream of server-sent events with `fetch`, because `EventSource` can send neither a body
 * nor our header. A lost connection is opened again with `Last-Event-ID`, by default up to six
 * times in a row. Ends at a response with status 204: nothing is left to read. Throws ApiError if
 * the server refuses, and the last error if the connection stays lost.
 */
export async function* readEvents(
  path: string,
  request: EventsRequest,
): AsyncGenerator<ServerEvent> {
  let { lastEventId } = request;
  const { reconnectsMax = RECONNECTS_MAX } = request;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await connect(path, { ...request, lastEventId });
      if (response.status === NO_CONTENT) return;
      for await (const event of readResponseEvents(response)) {
        attempt = 0;
        lastEventId = event.id ?? lastEventId;
        yield event;
        if (request.isLast(event)) return;
      }
      if (attempt >= reconnectsMax) throw new TypeError('The stream ended early.');
    } catch (error) {
      const isFinal = error instanceof ApiError || request.signal.aborted;
      if (isFinal || attempt >= reconnectsMax) throw error;
    }
    request.onReconnect?.(attempt + 1);
    await pause(RECONNECT_FIRST_MS * 2 ** attempt, request.signal);
  }
}

const connect = async (
  path: string,
  { method = 'GET', body, signal, lastEventId }: EventsRequest,
): Promise<Response> => {
  const response = await fetch(path, {
    method,
    signal,
    headers: {
      ...CONSOLE_HEADERS,
      accept: 'text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => null));
  return response;
};

/** Yields the events of one response, to its end. */
export async function* readResponseEvents(response: Response): AsyncGenerator<ServerEvent> {
  const splitter = createSseSplitter();
  for await (const chunk of response.body!) {
    yield* splitter.push(chunk).flatMap(toEvent);
  }
  const rest = splitter.end();
  if (rest) yield* toEvent(rest);
}

const toEvent = ({ data, event, bytes }: SseFrame): ServerEvent[] => {
  if (data === undefined) return [];
  const [, id] = /^id: ?(.*)$/m.exec(new TextDecoder().decode(bytes)) ?? [];
  return [{ id, event: event ?? 'message', data }];
};

const pause = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
