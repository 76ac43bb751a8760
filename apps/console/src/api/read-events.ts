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
  /** Called when the connection was lost and will be opened again. */
  onReconnect?: (attempt: number) => void;
};

const RECONNECTS_MAX = 6;
const RECONNECT_FIRST_MS = 500;

/**
 * Reads a stream of server-sent events with `fetch`, because `EventSource` can send neither a body
 * nor our header. A lost connection is opened again with `Last-Event-ID`, up to six times in a row.
 * Throws ApiError if the server refuses, and the last error if the connection stays lost.
 */
export async function* readEvents(
  path: string,
  request: EventsRequest,
): AsyncGenerator<ServerEvent> {
  let { lastEventId } = request;
  for (let attempt = 0; ; attempt += 1) {
    try {
      for await (const event of readConnection(path, { ...request, lastEventId })) {
        attempt = 0;
        lastEventId = event.id ?? lastEventId;
        yield event;
        if (request.isLast(event)) return;
      }
      if (attempt >= RECONNECTS_MAX) throw new TypeError('The stream ended early.');
    } catch (error) {
      const isFinal = error instanceof ApiError || request.signal.aborted;
      if (isFinal || attempt >= RECONNECTS_MAX) throw error;
    }
    request.onReconnect?.(attempt + 1);
    await pause(RECONNECT_FIRST_MS * 2 ** attempt, request.signal);
  }
}

async function* readConnection(
  path: string,
  { method = 'GET', body, signal, lastEventId }: EventsRequest,
): AsyncGenerator<ServerEvent> {
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
