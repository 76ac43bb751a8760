import type { Request, Response } from 'express';
import { isServiceError, ServiceError } from '@witan/contracts';
import { toPublicError } from '@witan/service-kit';

/** Rejects with UNAUTHENTICATED when the key of a request is no longer in force. */
export type CheckKey = (request: Request) => Promise<void>;

/** With the 3 s for which a key is cached, a revocation ends streams within 5 s. */
const CHECK_EVERY_MS = 1_500;

/** Aborts `ending` with UNAUTHENTICATED once the key of an open stream is no longer in force. */
export const watchKey = (
  { request, response }: { request: Request; response: Response },
  { checkKey, ending }: { checkKey: CheckKey; ending: AbortController },
): void => {
  if (response.closed) return;
  const onFailure = (error: unknown): void => {
    // While the database is away nobody knows: the next check decides.
    if (!isServiceError(error) || error.reason !== 'UNAUTHENTICATED') return;
    clearInterval(timer);
    ending.abort(keyEnded());
  };
  const timer = setInterval(() => void checkKey(request).catch(onFailure), CHECK_EVERY_MS).unref();
  response.once('close', () => clearInterval(timer));
};

const keyEnded = (): ServiceError =>
  new ServiceError(
    'UNAUTHENTICATED',
    'The API key of this stream was revoked or has expired; the stream ends here.',
  );

/** Why a call was ended from here; undefined when it was not: its client left, or it goes on. */
export const endingOf = ({ reason }: AbortSignal): ServiceError | undefined =>
  isServiceError(reason) ? reason : undefined;

/**
 * The failure to tell the client of a stream that has begun; undefined when the client has left and
 * reads nothing more.
 */
export const toStreamFailure = (error: unknown, signal: AbortSignal): ServiceError | undefined =>
  signal.aborted ? endingOf(signal) : toPublicError(error);
