import { isServiceError, ServiceError } from '@witan/contracts';
import type { Agent, Dispatcher } from 'undici';
import type { ProviderAnswer } from '../provider.ts';
import { createAnswerBody } from './answer-body.ts';
import type { AnswerBody } from './answer-body.ts';

type HttpCall = Omit<Dispatcher.DispatchOptions, 'signal'> & { signal: AbortSignal };

/**
 * Sends one call and resolves once the response headers have arrived. Rejects as
 * `Provider.complete` does; an abort closes the connection. If the call is aborted before it has a
 * connection, the failure has the field `unsent`.
 */
export const sendRequest = (
  agent: Agent,
  { signal, ...options }: HttpCall,
): Promise<ProviderAnswer> =>
  new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let body: AnswerBody | undefined;
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      const failure = toProviderFailure(error, signal);
      reject(failure);
      body?.fail(failure);
    };
    const onAbort = (): void => {
      // Without a controller the call still waits for a connection, so nothing was sent.
      if (!controller) return fail(markUnsent(signal.reason));
      controller.abort(signal.reason as Error);
      return fail(signal.reason);
    };
    if (signal.aborted) return fail(markUnsent(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    agent.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        if (signal.aborted) started.abort(signal.reason as Error);
      },
      onResponseStart: (started, status, headers) => {
        // Ignores informational responses (1xx).
        if (status < 200) return;
        body = createAnswerBody(started);
        resolve({ status, headers: flatten(headers), body });
      },
      onResponseData: (_controller, chunk) => body?.push(chunk),
      onResponseEnd: () => {
        signal.removeEventListener('abort', onAbort);
        body?.end();
      },
      onResponseError: (_controller, error) => fail(error),
    });
    return undefined;
  });

const flatten = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const markUnsent = (reason: unknown): unknown =>
  isServiceError(reason)
    ? new ServiceError(reason.reason, reason.message, {
        cause: reason.cause,
        fields: { ...reason.fields, unsent: 'true' },
      })
    : reason;

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * Returns the failure of a call: a ServiceError as it is, the reason of an abort, PROVIDER_TIMEOUT,
 * or else PROVIDER_STREAM_CUT.
 */
const toProviderFailure = (error: unknown, signal: AbortSignal): ServiceError => {
  if (isServiceError(error)) return error;
  if (signal.aborted && isServiceError(signal.reason)) return signal.reason;
  if (Error.isError(error) && 'code' in error && TIMED_OUT.has(String(error.code))) {
    const message = 'The model provider did not answer in time.';
    return new ServiceError('PROVIDER_TIMEOUT', message, { cause: error });
  }
  const message = 'The model provider broke the connection.';
  return new ServiceError('PROVIDER_STREAM_CUT', message, { cause: error });
};
