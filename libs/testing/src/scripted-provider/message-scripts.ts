import { type DeliveryOptions, respondWith } from './answer-scripts.ts';
import {
  type MessageAnswer,
  type MessageEvent,
  toMessage,
  toMessageEvents,
} from './message-answer.ts';
import type { Script } from './script.ts';
import { type StreamOptions, streamFrames } from './stream-frames.ts';

/** How a message stream is delivered: it knows no `[DONE]`. */
export type MessageStreamOptions = Omit<StreamOptions, 'done'>;

/** Answers in the messages dialect as the model and in the form that the request asks for. */
export function answerMessageWith(
  answer: MessageAnswer = {},
  options: DeliveryOptions & MessageStreamOptions = {},
): Script {
  return async (exchange) => {
    const asked = (exchange.request.parsed ?? {}) as { model?: string; stream?: unknown };
    const said = asked.model === undefined ? answer : { model: asked.model, ...answer };
    const script =
      asked.stream === true
        ? streamMessageEvents(toMessageEvents(said), options)
        : respondWith({ ...options, body: toMessage(said) });
    await script(exchange);
  };
}

/** Streams `events`, each under the name that its `type` is; the last one ends the stream. */
export function streamMessageEvents(
  events: readonly MessageEvent[],
  options: MessageStreamOptions = {},
): Script {
  const { lineEnd = '\n' } = options;
  const frames = events.map(
    (event) => `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`,
  );
  return streamFrames(frames, { ...options, done: false });
}

/** What a scripted failure says beside its status. */
export type MessageFailure = { readonly message?: string; readonly requestId?: string };

/** Fails with `status` and the error body that the messages dialect has for it. */
export function failMessageWith(
  status: number,
  { headers, after, ...failure }: DeliveryOptions & MessageFailure = {},
): Script {
  const body = toMessageError(status, failure);
  const named = { 'request-id': body.request_id, ...headers };
  return respondWith({ status, headers: named, after, body });
}

/** The error body of `status`; as an event it ends a stream (`streamMessageEvents`). */
export function toMessageError(
  status: number,
  { message = `Scripted failure ${status}.`, requestId = 'req_scripted' }: MessageFailure = {},
): { type: 'error'; error: { type: string; message: string }; request_id: string } {
  const usual = status >= 500 ? 'api_error' : 'invalid_request_error';
  const type = ERROR_TYPES[status] ?? usual;
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

/** Answers a count of tokens, as `POST /v1/messages/count_tokens` does. */
export function countTokensWith(inputTokens: number, options: DeliveryOptions = {}): Script {
  return respondWith({ ...options, body: { input_tokens: inputTokens } });
}
