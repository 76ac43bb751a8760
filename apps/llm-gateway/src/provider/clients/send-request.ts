import { isServiceError, ServiceError } from '@witan/contracts';
import type { Agent, Dispatcher } from 'undici';
import type { AnswerBody, BodyReader, ProviderAnswer, Stop } from '../provider.ts';

type HttpCall = Omit<Dispatcher.DispatchOptions, 'signal'> & { stop: Stop };

/** Maximum time for a provider to end its response after the last frame, in milliseconds. */
const DRAIN_MAX_MS = 1_000;

/**
 * Sends one call and resolves once the response headers have arrived. Rejects as
 * `Provider.complete` does; a stop closes the connection. If the call is stopped before it has a
 * connection, the failure has the field `unsent`.
 */
export const sendRequest = (
  agent: Agent,
  { stop, ...options }: HttpCall,
): Promise<ProviderAnswer> =>
  new Promise((resolve, reject) => {
    if (stop.reason !== undefined) return reject(markUnsent(stop.reason));
    let controller: Dispatcher.DispatchController | undefined;
    let body: ReceivedBody | undefined;
    const fail = (error: unknown): void => {
      stop.onStop = undefined;
      const failure = toProviderFailure(error, stop);
      reject(failure);
      body?.fail(failure);
    };
    stop.onStop = (reason) => {
      // Without a controller the call still waits for a connection, so nothing was sent.
      if (!controller) return fail(markUnsent(reason));
      controller.abort(reason as Error);
      return fail(reason);
    };
    agent.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        if (stop.reason !== undefined) started.abort(stop.reason as Error);
      },
      onResponseStart: (started, status, headers) => {
        // Ignores informational responses (1xx).
        if (status < 200) return;
        body = createReceivedBody(started, fail);
        resolve({ status, headers: flatten(headers), body });
      },
      onResponseData: (_controller, chunk) => body?.bytes(chunk),
      onResponseEnd: () => {
        stop.onStop = undefined;
        body?.end();
      },
      onResponseError: (_controller, error) => fail(error),
    });
    return undefined;
  });

type Connection = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

/** A body with the functions by which the connection writes into it. */
export type ReceivedBody = AnswerBody & BodyReader;

/** Creates the body of a response. `onAbort` fails the call. */
export const createReceivedBody = (
  connection: Connection,
  onAbort: (reason: unknown) => void,
): ReceivedBody => {
  let early: Uint8Array[] = [];
  let outcome: { error?: unknown } | undefined;
  let reader: BodyReader | undefined;
  let isDiscarded = false;
  let drainTimer: NodeJS.Timeout | undefined;
  const finish = (result: { error?: unknown }): void => {
    if (outcome) return;
    outcome = result;
    clearTimeout(drainTimer);
    if (!isDiscarded && reader) report(reader, result);
  };
  return {
    bytes: (chunk) => {
      if (isDiscarded) return;
      if (reader) reader.bytes(chunk);
      else early.push(chunk);
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    read: (next) => {
      reader = next;
      for (const chunk of early) if (!isDiscarded) next.bytes(chunk);
      early = [];
      if (outcome && !isDiscarded) report(next, outcome);
    },
    pause: () => {
      if (!outcome) connection.pause();
    },
    resume: () => {
      if (!outcome) connection.resume();
    },
    discard: () => {
      if (isDiscarded) return;
      isDiscarded = true;
      if (outcome) return;
      drainTimer = setTimeout(() => connection.abort(drainTimedOut()), DRAIN_MAX_MS);
      connection.resume();
    },
    abort: (reason) => {
      if (outcome) return;
      connection.abort(reason as Error);
      onAbort(reason);
    },
  };
};

const report = (reader: BodyReader, outcome: { error?: unknown }): void => {
  if ('error' in outcome) reader.fail(outcome.error);
  else reader.end();
};

const drainTimedOut = (): Error => new Error('The rest of the response did not end in time.');

const flatten = (
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> => {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
};

const markUnsent = (reason: unknown): unknown =>
  isServiceError(reason)
    ? new ServiceError(reason.reason, reason.message, {
        cause: reason.cause,
        fields: { ...reason.fields, unsent: 'true' },
      })
    : reason;

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * Returns the failure of a call: a ServiceError as it is, the reason of a stop, PROVIDER_TIMEOUT,
 * or else PROVIDER_STREAM_CUT.
 */
const toProviderFailure = (error: unknown, { reason }: Stop): ServiceError => {
  if (isServiceError(error)) return error;
  if (isServiceError(reason)) return reason;
  if (Error.isError(error) && 'code' in error && TIMED_OUT.has(String(error.code))) {
    const message = 'The model provider did not answer in time.';
    return new ServiceError('PROVIDER_TIMEOUT', message, { cause: error });
  }
  const message = 'The model provider broke the connection.';
  return new ServiceError('PROVIDER_STREAM_CUT', message, { cause: error });
};
