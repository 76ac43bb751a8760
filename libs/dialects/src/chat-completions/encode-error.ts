import type { Reason } from '@witan/contracts';
import type { Refusal, Failure } from '../dialect.ts';
import { asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/** Error body of this dialect. Clients expect all four members of `error`. */
type ChatError = {
  error: { message: string; type: string; param: string | null; code: string | null };
};

type Row = { status: number; type: string; code: string | null };

const INVALID = 'invalid_request_error';

const ROWS: Record<Reason, Row> = {
  INVALID_REQUEST: { status: 400, type: INVALID, code: null },
  UNAUTHENTICATED: { status: 401, type: INVALID, code: 'invalid_api_key' },
  INSUFFICIENT_SCOPE: { status: 403, type: INVALID, code: 'insufficient_scope' },
  INSUFFICIENT_QUOTA: { status: 402, type: 'insufficient_quota', code: 'insufficient_quota' },
  RATE_LIMITED: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  NOT_FOUND: { status: 404, type: INVALID, code: 'model_not_found' },
  METHOD_NOT_ALLOWED: { status: 405, type: INVALID, code: null },
  CONFLICT: { status: 409, type: INVALID, code: 'conflict' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, type: INVALID, code: 'idempotency_key_reused' },
  REQUEST_TOO_LARGE: { status: 413, type: INVALID, code: 'request_too_large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, type: INVALID, code: null },
  NOT_IMPLEMENTED: { status: 501, type: INVALID, code: 'not_implemented' },
  PROVIDER_UNREACHABLE: { status: 502, type: 'server_error', code: 'upstream_error' },
  PROVIDER_CREDENTIALS_REFUSED: { status: 502, type: 'server_error', code: 'upstream_error' },
  PROVIDER_INVALID_ANSWER: { status: 502, type: 'server_error', code: 'upstream_error' },
  PROVIDER_STREAM_CUT: { status: 502, type: 'server_error', code: 'upstream_error' },
  PROVIDER_TIMEOUT: { status: 504, type: 'server_error', code: 'upstream_timeout' },
  DEADLINE_EXCEEDED: { status: 504, type: 'server_error', code: 'upstream_timeout' },
  UNAVAILABLE: { status: 503, type: 'server_error', code: 'overloaded' },
  LEDGER_UNAVAILABLE: { status: 503, type: 'server_error', code: 'overloaded' },
  LOCAL_RUNTIME_UNAVAILABLE: {
    status: 503,
    type: 'server_error',
    code: 'local_runtime_unavailable',
  },
  CALLER_REFUSED: { status: 500, type: 'server_error', code: null },
  CANCELLED: { status: 499, type: 'server_error', code: null },
  INTERNAL: { status: 500, type: 'server_error', code: null },
};

export const encodeError = (failure: Failure): { status: number; body: ChatError } => {
  const { status, type, code } = ROWS[failure.reason];
  const { message, fields } = failure;
  return {
    status,
    body: { error: { message, type, param: fields.param ?? null, code: fields.code ?? code } },
  };
};

export const encodeErrorFrame = (failure: Failure): string =>
  `data: ${JSON.stringify(encodeError(failure).body)}\n\n`;

/**
 * Decodes a provider's error body. Accepts OpenAI's `{error: {message, param, code}}` and the forms
 * of local runtimes: these members at the top level, a string as `error`, or `detail`.
 */
export const decodeError = (body: JsonObject): Refusal => {
  const error = asObject(body.error) ?? body;
  return {
    message: asText(error.message) || asText(body.error) || asText(body.detail),
    code: asText(error.code),
    param: asText(error.param),
  };
};

const NO_MESSAGE = 'The provider refused the call and did not say why.';

const STATUS_TYPES: ReadonlyMap<number, { type: string; code: string }> = new Map([
  [402, { type: 'insufficient_quota', code: 'insufficient_quota' }],
  [429, { type: 'rate_limit_error', code: 'rate_limit_exceeded' }],
  [503, { type: 'server_error', code: 'overloaded' }],
  [529, { type: 'server_error', code: 'overloaded' }],
]);

/** Returns the type of an error with a status. */
export const toErrorType = (status: number): string =>
  STATUS_TYPES.get(status)?.type ?? (status >= 500 ? 'server_error' : INVALID);

/**
 * Encodes the error of a provider that uses another dialect. The provider's error code, if it sent
 * one, replaces the code that belongs to the status.
 */
export const encodeRefusal = (refusal: Refusal, { status }: { status: number }): ChatError => {
  const known = STATUS_TYPES.get(status);
  return {
    error: {
      message: refusal.message || NO_MESSAGE,
      type: toErrorType(status),
      param: refusal.param || null,
      code: refusal.code || (known?.code ?? null),
    },
  };
};
