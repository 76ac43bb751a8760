import type { OutgoingHttpHeaders } from 'node:http';
import { type ChatAnswer, toChatChunks, toChatCompletion } from './chat-answer.ts';
import { isBytes, outlasts, type Script, writeByteByByte } from './script.ts';
import { findRefused, type ReasoningRequest, spendReasoning } from './spend-reasoning.ts';
import { type StreamOptions, streamFrames } from './stream-frames.ts';

/** How an answer is delivered. */
export type DeliveryOptions = {
  readonly headers?: OutgoingHttpHeaders;
  /** Nothing is sent, not even a status, before this resolves: a slow first byte. */
  readonly after?: Promise<unknown>;
  /** Sends the body one byte at a time. */
  readonly byteByByte?: boolean;
};

/**
 * Answers as the chat model that is asked for, in one piece or streamed, as the request asks.
 * Models of OpenAI that reason (gpt-5, o3 ...) refuse sampling parameters, and spend tokens on
 * reasoning first.
 */
export function answerWith(
  answer: ChatAnswer = {},
  options: DeliveryOptions & StreamOptions = {},
): Script {
  return async (exchange) => {
    const asked = (exchange.request.parsed ?? {}) as ReasoningRequest & {
      stream?: unknown;
      stream_options?: { include_usage?: unknown } | null;
    };
    const refused = findRefused(asked);
    if (refused !== undefined) return await refuseParameter(refused)(exchange);
    const said = {
      ...(asked.model === undefined ? {} : { model: asked.model }),
      ...spendReasoning(answer, asked),
    };
    const includeUsage = asked.stream_options?.include_usage === true;
    const script =
      asked.stream === true
        ? streamFrames(toChatChunks(said, { includeUsage }), options)
        : respondWith({ ...options, body: toChatCompletion(said) });
    await script(exchange);
  };
}

/** Sends any status and body: an object as JSON, a string or bytes exactly as they are. */
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
    if (after !== undefined && !(await outlasts(after, exchange.gone))) return;
    exchange.response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (byteByByte && !(await writeByteByByte(exchange, bytes))) return;
    exchange.response.end(byteByByte ? undefined : bytes);
  };
}

/** Refuses a parameter that the model does not take, as OpenAI's API does. */
const refuseParameter = (param: string): Script => {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`;
  const error = { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' };
  return respondWith({ status: 400, body: { error } });
};

/** Fails with `status` and the error body that OpenAI's API has for it. */
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

/** Fails as a proxy before a provider does: an HTML page, 502 unless told otherwise. */
export function failWithHtml(status = 502): Script {
  const body = `<html><head><title>${status}</title></head><body>Bad Gateway</body></html>`;
  return respondWith({ status, headers: { 'content-type': 'text/html' }, body });
}

/** Never answers; ends when the client goes away or the provider closes. */
export function neverAnswer({
  sendHeaders = false,
}: { readonly sendHeaders?: boolean } = {}): Script {
  return async ({ response, gone }) => {
    if (sendHeaders) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
    }
    await outlasts(new Promise(() => {}), gone);
  };
}

/** Destroys the connection before any answer. */
export function cutBeforeHeaders({ after }: Pick<DeliveryOptions, 'after'> = {}): Script {
  return async ({ cut, gone }) => {
    if (after === undefined || (await outlasts(after, gone))) cut();
  };
}

/** Promises the whole body by `content-length` and destroys the connection inside it. */
export function cutMidBody(body: object | string = toChatCompletion(), bytesSent = 20): Script {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return async (exchange) => {
    const { response, cut } = exchange;
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
    response.writeHead(200, headers);
    if (await writeByteByByte(exchange, bytes.subarray(0, bytesSent))) cut();
  };
}
