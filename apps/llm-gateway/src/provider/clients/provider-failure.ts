import { isServiceError, ServiceError } from '@witan/contracts';

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * Returns the failure of a call that may have been sent: the abort reason, PROVIDER_TIMEOUT or
 * PROVIDER_STREAM_CUT.
 */
export const toProviderFailure = (error: unknown, signal: AbortSignal): ServiceError => {
  if (isServiceError(error)) return error;
  if (signal.aborted && isServiceError(signal.reason)) return signal.reason;
  if (Error.isError(error) && 'code' in error && TIMED_OUT.has(String(error.code))) {
    const message = 'The model provider did not answer in time.';
    return new ServiceError('PROVIDER_TIMEOUT', message, { cause: error });
  }
  const message = 'The model provider broke the connection.';
  return new ServiceError('PROVIDER_STREAM_CUT', message, { cause: error });
};
