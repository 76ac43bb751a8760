import type { Reason } from '@witan/contracts';
import type { Failure } from '../dialect.ts';

/** Error body of this dialect. Clients expect all four members of `error`. */
export type ChatError = {
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
