import { type DeliveryOptions, respondWith } from './answer-scripts.ts';
import {
  type MessageAnswer,
  type MessageEvent,
  toMessage,
  toMessageEvents,
} from './message-answer.ts';
import type { Script } from './script.ts';
import { type StreamOptions, streamFrames } from './stream-frames.ts';

export type MessageStreamOptions = Omit<StreamOptions, 'sendDone'>;

export function answerMessageWith(
  answer: MessageAnswer = {},
  options: DeliveryOptions & MessageStreamOptions = {},
): Script {
  return async (exchange) => {
    const requested = (exchange.request.parsed ?? {}) as { model?: string; stream?: unknown };
    const scripted = requested.model === undefined ? answer : { model: requested.model, ...answer };
    const script =
      requested.stream === true
        ? streamMessageEvents(toMessageEvents(scripted), options)
        : respondWith({ ...options, body: toMessage(scripted) });
    await script(exchange);
  };
}

export function streamMessageEvents(
  events: readonly MessageEvent[],
  options: MessageStreamOptions = {},
): Script {
  const { lineEnd = '\n' } = options;
  const frames = events.map(
    (event) => `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`,
  );
  return streamFrames(frames, { ...options, sendDone: false });
}

export type MessageFailure = { readonly message?: string; readonly requestId?: string };

export function failMessageWith(
  status: number,
  { headers, after, ...failure }: DeliveryOptions & MessageFailure = {},
): Script {
  const body = toMessageError(status, failure);
  const allHeaders = { 'request-id': body.request_id, ...headers };
  return respondWith({ status, headers: allHeaders, after, body });
}

export function toMessageError(
  status: number,
  { message = `Scripted failure ${status}.`, requestId = 'req_scripted' }: MessageFailure = {},
): { type: 'error'; error: { type: string; message: string }; request_id: string } {
  const defaultType = status >= 500 ? 'api_error' : 'invalid_request_error';
  const type = ERROR_TYPES[status] ?? defaultType;
  return { type: 'error', error: { type, message }, request_id: requestId };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export function countTokensWith(inputTokens: number, options: DeliveryOptions = {}): Script {
  return respondWith({ ...options, body: { input_tokens: inputTokens } });
}
