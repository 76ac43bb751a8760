import type { OutgoingHttpHeaders } from 'node:http';
import { type ChatAnswer, toChatChunks, toChatCompletion } from './chat-answer.ts';
import { isBytes, resolvesBefore, type Script, writeByteByByte } from './script.ts';
import {
  findUnsupportedParameter,
  type ReasoningRequest,
  spendReasoning,
} from './spend-reasoning.ts';
import { type StreamOptions, streamFrames } from './stream-frames.ts';

export type DeliveryOptions = {
  readonly headers?: OutgoingHttpHeaders;
  /** Delays the whole response, including its status code, until this promise resolves. */
  readonly after?: Promise<unknown>;
  readonly byteByByte?: boolean;
};

/**
 * Returns a script that responds as the requested chat model, in a stream if the request asks for
 * one. Like OpenAI's, reasoning models (gpt-5, o3 ...) reject `max_tokens` and sampling parameters
 * other than 1, and spend reasoning tokens first.
 */
export function answerWith(
  answer: ChatAnswer = {},
  options: DeliveryOptions & StreamOptions = {},
): Script {
  return async (exchange) => {
    const requested = (exchange.request.parsed ?? {}) as ReasoningRequest & {
      stream?: unknown;
      stream_options?: { include_usage?: unknown } | null;
    };
    const unsupported = findUnsupportedParameter(requested);
    if (unsupported !== undefined) return await rejectParameter(unsupported)(exchange);
    const scripted = {
      ...(requested.model === undefined ? {} : { model: requested.model }),
      ...spendReasoning(answer, requested),
    };
    const includeUsage = requested.stream_options?.include_usage === true;
    const script =
      requested.stream === true
        ? streamFrames(toChatChunks(scripted, { includeUsage }), options)
        : respondWith({ ...options, body: toChatCompletion(scripted) });
    await script(exchange);
  };
}

export function respondWith(
  options: DeliveryOptions & {
    readonly status?: number;
    readonly body: object | string | Uint8Array;
  },
): Script {
  const { status = 200, headers = {}, body, after, byteByByte = false } = options;
  const isExact = typeof body === 'string' || isBytes(body);
  const bytes = isExact ? body : JSON.stringify(body);
  return async (exchange) => {
    if (after !== undefined && !(await resolvesBefore(after, exchange.closeSignal))) return;
    exchange.response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (byteByByte && !(await writeByteByByte(exchange, bytes))) return;
    exchange.response.end(byteByByte ? undefined : bytes);
  };
}

const rejectParameter = (param: string): Script => {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`;
  const error = { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' };
  return respondWith({ status: 400, body: { error } });
};

export function failWith(
  status: number,
  { headers, code = null, after }: DeliveryOptions & { readonly code?: string | null } = {},
): Script {
  const type = status >= 500 ? 'server_error' : (ERROR_TYPES[status] ?? 'invalid_request_error');
  const error = { message: `Scripted failure ${status}.`, type, param: null, code };
  return respondWith({ status, headers, after, body: { error } });
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  402: 'insufficient_quota',
  429: 'rate_limit_error',
};

export function failWithHtml(status = 502): Script {
  const body = `<html><head><title>${status}</title></head><body>Bad Gateway</body></html>`;
  return respondWith({ status, headers: { 'content-type': 'text/html' }, body });
}

export function neverAnswer({
  sendHeaders = false,
}: { readonly sendHeaders?: boolean } = {}): Script {
  return async ({ response, closeSignal }) => {
    if (sendHeaders) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
    }
    await resolvesBefore(new Promise(() => {}), closeSignal);
  };
}

export function cutBeforeHeaders({ after }: Pick<DeliveryOptions, 'after'> = {}): Script {
  return async ({ cut, closeSignal }) => {
    if (after === undefined || (await resolvesBefore(after, closeSignal))) cut();
  };
}

/**
 * Returns a script that declares the length of the whole body in `content-length` but closes the
 * connection after `bytesSent` bytes.
 */
export function cutMidBody(body: object | string = toChatCompletion(), bytesSent = 20): Script {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return async (exchange) => {
    const { response, cut } = exchange;
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
    response.writeHead(200, headers);
    if (await writeByteByByte(exchange, bytes.subarray(0, bytesSent))) cut();
  };
}
