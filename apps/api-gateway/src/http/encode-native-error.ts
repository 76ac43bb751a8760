import { ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';

export type InvalidField = { path: string; message: string };

type NativeError = {
  error: {
    message: string;
    type: string;
    param: string | null;
    code: string;
    details?: readonly InvalidField[];
    requestId: string;
  };
};

type Row = { status: number; type: string; code: string };

const INVALID = 'invalid_request_error';
const SERVER = 'server_error';

const ROWS: Record<Reason, Row> = {
  INVALID_REQUEST: { status: 400, type: INVALID, code: 'invalid_request' },
  UNAUTHENTICATED: { status: 401, type: INVALID, code: 'invalid_api_key' },
  INSUFFICIENT_SCOPE: { status: 403, type: INVALID, code: 'insufficient_scope' },
  INSUFFICIENT_QUOTA: { status: 402, type: 'insufficient_quota', code: 'insufficient_quota' },
  RATE_LIMITED: { status: 429, type: 'rate_limit_error', code: 'rate_limited' },
  NOT_FOUND: { status: 404, type: INVALID, code: 'not_found' },
  METHOD_NOT_ALLOWED: { status: 405, type: INVALID, code: 'method_not_allowed' },
  CONFLICT: { status: 409, type: INVALID, code: 'conflict' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, type: INVALID, code: 'idempotency_key_reused' },
  REQUEST_TOO_LARGE: { status: 413, type: INVALID, code: 'request_too_large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, type: INVALID, code: 'unsupported_media_type' },
  NOT_IMPLEMENTED: { status: 501, type: INVALID, code: 'not_implemented' },
  PROVIDER_UNREACHABLE: { status: 502, type: SERVER, code: 'provider_error' },
  PROVIDER_CREDENTIALS_REFUSED: { status: 502, type: SERVER, code: 'provider_error' },
  PROVIDER_INVALID_ANSWER: { status: 502, type: SERVER, code: 'provider_error' },
  PROVIDER_STREAM_CUT: { status: 502, type: SERVER, code: 'provider_error' },
  PROVIDER_TIMEOUT: { status: 504, type: SERVER, code: 'provider_timeout' },
  DEADLINE_EXCEEDED: { status: 504, type: SERVER, code: 'provider_timeout' },
  UNAVAILABLE: { status: 503, type: SERVER, code: 'unavailable' },
  LEDGER_UNAVAILABLE: { status: 503, type: SERVER, code: 'unavailable' },
  LOCAL_RUNTIME_UNAVAILABLE: { status: 503, type: SERVER, code: 'local_runtime_unavailable' },
  CALLER_REFUSED: { status: 500, type: SERVER, code: 'internal_error' },
  CANCELLED: { status: 499, type: SERVER, code: 'client_closed_request' },
  INTERNAL: { status: 500, type: SERVER, code: 'internal_error' },
};

export const encodeNativeError = (
  error: Pick<ServiceError, 'reason' | 'message' | 'fields'>,
  context: { requestId: string; details?: readonly InvalidField[] },
): { status: number; body: NativeError } => {
  const { status, type, code } = ROWS[error.reason];
  const { message, fields } = error;
  return {
    status,
    body: {
      error: {
        message,
        type,
        param: fields.param ?? null,
        code: fields.code ?? code,
        ...(context.details ? { details: context.details } : {}),
        requestId: context.requestId,
      },
    },
  };
};

export class ValidationError extends ServiceError {
  readonly invalidFields: readonly InvalidField[];

  constructor(invalidFields: readonly InvalidField[]) {
    const first = invalidFields[0]!;
    const more = invalidFields.length > 1 ? ` (and ${invalidFields.length - 1} more)` : '';
    super('INVALID_REQUEST', `${first.path || 'The request'} ${first.message}${more}.`, {
      fields: first.path ? { param: first.path } : {},
    });
    this.invalidFields = invalidFields;
  }
}
