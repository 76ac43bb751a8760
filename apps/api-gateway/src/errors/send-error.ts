import type { Response } from 'express';
import { isServiceError, ServiceError } from '@witan/contracts';
import { encodeChatError } from '@witan/dialects';
import type { Surface } from '../http/route.ts';
import { encodeNativeError } from './encode-native-error.ts';
import { ValidationError } from './validation-error.ts';

/** Advice to clients of a service that is down for the moment, in seconds. */
const RETRY_AFTER_S = '2';

/**
 * Answers a failure in the shape of its surface. What has no reason is a bug: the caller sees an
 * opaque 500. Answers the ServiceError that was sent, for the log.
 */
export const sendError = (
  response: Response,
  error: unknown,
  context: { surface: Surface; requestId: string },
): ServiceError => {
  const failure = isServiceError(error)
    ? error
    : new ServiceError('INTERNAL', 'Something went wrong on our side.', { cause: error });
  const details = failure instanceof ValidationError ? { details: failure.faults } : {};
  const { status, body } =
    context.surface === 'chat-completions'
      ? encodeChatError(failure)
      : encodeNativeError(failure, { requestId: context.requestId, ...details });
  if (status === 503) response.setHeader('retry-after', RETRY_AFTER_S);
  if (failure.fields.proof) response.setHeader('x-service-proof', failure.fields.proof);
  response.status(status).json(body);
  return failure;
};
