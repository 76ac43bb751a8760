import type { Response } from 'express';
import { isServiceError, ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import { DIALECTS } from '@witan/dialects';
import type { Surface } from '../http/route.ts';
import { encodeNativeError, ValidationError } from '../http/encode-native-error.ts';

const RETRY_AFTER_S = '2';

/**
 * Reasons for which `x-should-retry: false` is sent, because a retry fails in the same way and
 * official clients would retry some of their statuses.
 */
const NOT_RETRYABLE: ReadonlySet<Reason> = new Set([
  'NOT_IMPLEMENTED',
  'LOCAL_RUNTIME_UNAVAILABLE',
  'INSUFFICIENT_QUOTA',
]);

/**
 * Sends an error in the format of the route's surface. An error that is not a ServiceError is a bug
 * and becomes an opaque 500. Returns the ServiceError that was sent, for the log.
 */
export const sendError = (
  response: Response,
  error: unknown,
  context: { surface: Surface; requestId: string },
): ServiceError => {
  const failure = isServiceError(error)
    ? error
    : new ServiceError('INTERNAL', 'Something went wrong on our side.', { cause: error });
  const details = failure instanceof ValidationError ? { details: failure.invalidFields } : {};
  const { surface, requestId } = context;
  const { status, body } =
    surface === 'native'
      ? encodeNativeError(failure, { requestId, ...details })
      : DIALECTS[surface].encodeError(failure, { requestId });
  const isRetryable = !NOT_RETRYABLE.has(failure.reason);
  const isBusy = status === 503 || status === 529;
  if (isBusy && isRetryable) response.setHeader('retry-after', RETRY_AFTER_S);
  if (failure.fields.retryAfter) response.setHeader('retry-after', failure.fields.retryAfter);
  if (failure.fields.challenge) response.setHeader('www-authenticate', failure.fields.challenge);
  if (!isRetryable) response.setHeader('x-should-retry', 'false');
  if (surface === 'messages') response.setHeader('request-id', requestId);
  if (failure.fields.proof) response.setHeader('x-service-proof', failure.fields.proof);
  // `type` overrides the content type that a handler may have set for its stream.
  response.status(status).type('json').json(body);
  return failure;
};

/**
 * Awaits a request to a service. If the service reports invalid fields, rejects with a
 * ValidationError, so that the client gets them in the same format as the errors of a schema.
 */
export const withInvalidFields = async <T>(request: Promise<T>): Promise<T> => {
  try {
    return await request;
  } catch (error) {
    const invalidFields = isServiceError(error) && error.fields['faults'];
    throw invalidFields
      ? new ValidationError(JSON.parse(invalidFields) as ValidationError['invalidFields'])
      : error;
  }
};
