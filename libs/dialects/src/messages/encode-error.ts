import type { Reason } from '@witan/contracts';
import type { ErrorContext, Failure, Refusal } from '../dialect.ts';
import { asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

type MessageError = {
  type: 'error';
  error: { type: string; message: string };
  request_id: string;
};

type Row = { status: number; type: string };

const INVALID = 'invalid_request_error';
const BAD_GATEWAY: Row = { status: 502, type: 'api_error' };
const TIMEOUT: Row = { status: 504, type: 'timeout_error' };
/** This dialect has its own status for an overloaded server. */
const OVERLOADED: Row = { status: 529, type: 'overloaded_error' };

const ROWS: Record<Reason, Row> = {
  INVALID_REQUEST: { status: 400, type: INVALID },
  UNAUTHENTICATED: { status: 401, type: 'authentication_error' },
  INSUFFICIENT_SCOPE: { status: 403, type: 'permission_error' },
  INSUFFICIENT_QUOTA: { status: 429, type: 'rate_limit_error' },
  RATE_LIMITED: { status: 429, type: 'rate_limit_error' },
  NOT_FOUND: { status: 404, type: 'not_found_error' },
  METHOD_NOT_ALLOWED: { status: 405, type: INVALID },
  CONFLICT: { status: 409, type: INVALID },
  IDEMPOTENCY_KEY_REUSED: { status: 422, type: INVALID },
  REQUEST_TOO_LARGE: { status: 413, type: 'request_too_large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, type: INVALID },
  NOT_IMPLEMENTED: { status: 501, type: INVALID },
  PROVIDER_UNREACHABLE: BAD_GATEWAY,
  PROVIDER_CREDENTIALS_REFUSED: BAD_GATEWAY,
  PROVIDER_INVALID_ANSWER: BAD_GATEWAY,
  PROVIDER_STREAM_CUT: BAD_GATEWAY,
  PROVIDER_TIMEOUT: TIMEOUT,
  DEADLINE_EXCEEDED: TIMEOUT,
  UNAVAILABLE: OVERLOADED,
  LEDGER_UNAVAILABLE: OVERLOADED,
  // 503 as in every dialect, and not 529, because the runtime is not configured rather than
  // overloaded.
  LOCAL_RUNTIME_UNAVAILABLE: { status: 503, type: 'api_error' },
  CALLER_REFUSED: { status: 500, type: 'api_error' },
  CANCELLED: { status: 499, type: 'api_error' },
  INTERNAL: { status: 500, type: 'api_error' },
};

export const encodeError = (
  { reason, message }: Failure,
  { requestId }: ErrorContext,
): { status: number; body: MessageError } => {
  const { status, type } = ROWS[reason];
  return { status, body: toBody(type, message, requestId) };
};

export const encodeErrorFrame = (failure: Failure, context: ErrorContext): string =>
  `event: error\ndata: ${JSON.stringify(encodeError(failure, context).body)}\n\n`;

const TYPE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/**
 * Encodes the error of a provider that uses the other dialect. The message includes the name of the
 * invalid parameter, if the provider sent it, because this dialect has no member for it.
 */
export const encodeRefusal = (
  { message, param }: Refusal,
  { status, requestId }: ErrorContext & { status: number },
): MessageError => {
  const type = TYPE_OF_STATUS.get(status) ?? (status < 500 ? INVALID : 'api_error');
  const text =
    message || `The provider refused the call with status ${status} and did not say why.`;
  return toBody(type, param === '' || text.includes(param) ? text : `${param}: ${text}`, requestId);
};

const toBody = (type: string, message: string, requestId: string): MessageError => ({
  type: 'error',
  error: { type, message },
  request_id: requestId,
});

/**
 * Decodes a provider's error and never throws, whatever the body contains. The error type is
 * omitted, because both dialects derive it from the status.
 */
export const decodeError = (body: JsonObject): Refusal => {
  const error = asObject(body.error);
  const message = asText(error?.message) || asText(body.error) || asText(body.message);
  const code = asText(asObject(error?.details)?.error_code) || asText(error?.code);
  return { message, code, param: asText(error?.param) };
};
