import { describe, expect, it } from '@jest/globals';
import { REASONS, ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import { encodeError, encodeErrorFrame } from './encode-error.ts';

/** Status, type and code of every reason, from the table in docs/spec.md#4.6. */
const TABLE: Readonly<Record<Reason, readonly [number, string, string | null]>> = {
  INVALID_REQUEST: [400, 'invalid_request_error', null],
  UNAUTHENTICATED: [401, 'invalid_request_error', 'invalid_api_key'],
  INSUFFICIENT_SCOPE: [403, 'invalid_request_error', 'insufficient_scope'],
  INSUFFICIENT_QUOTA: [402, 'insufficient_quota', 'insufficient_quota'],
  RATE_LIMITED: [429, 'rate_limit_error', 'rate_limit_exceeded'],
  NOT_FOUND: [404, 'invalid_request_error', 'model_not_found'],
  METHOD_NOT_ALLOWED: [405, 'invalid_request_error', null],
  CONFLICT: [409, 'invalid_request_error', 'conflict'],
  IDEMPOTENCY_KEY_REUSED: [422, 'invalid_request_error', 'idempotency_key_reused'],
  REQUEST_TOO_LARGE: [413, 'invalid_request_error', 'request_too_large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'invalid_request_error', null],
  NOT_IMPLEMENTED: [501, 'invalid_request_error', 'not_implemented'],
  PROVIDER_UNREACHABLE: [502, 'server_error', 'upstream_error'],
  PROVIDER_CREDENTIALS_REFUSED: [502, 'server_error', 'upstream_error'],
  PROVIDER_INVALID_ANSWER: [502, 'server_error', 'upstream_error'],
  PROVIDER_STREAM_CUT: [502, 'server_error', 'upstream_error'],
  PROVIDER_TIMEOUT: [504, 'server_error', 'upstream_timeout'],
  DEADLINE_EXCEEDED: [504, 'server_error', 'upstream_timeout'],
  UNAVAILABLE: [503, 'server_error', 'overloaded'],
  LEDGER_UNAVAILABLE: [503, 'server_error', 'overloaded'],
  LOCAL_RUNTIME_UNAVAILABLE: [503, 'server_error', 'local_runtime_unavailable'],
  CALLER_REFUSED: [500, 'server_error', null],
  CANCELLED: [499, 'server_error', null],
  INTERNAL: [500, 'server_error', null],
};

describe('encodeError', () => {
  it.each(REASONS)('encodes %s as in the error table, with all four members', (reason) => {
    const [status, type, code] = TABLE[reason];
    expect(encodeError(new ServiceError(reason, 'What was wrong.'))).toEqual({
      status,
      body: { error: { message: 'What was wrong.', type, param: null, code } },
    });
  });

  it('includes the invalid parameter', () => {
    const error = new ServiceError('INVALID_REQUEST', 'No.', { fields: { param: 'messages[0]' } });
    expect(encodeError(error).body.error.param).toBe('messages[0]');
  });

  it('prefers the code of the failure to that of its reason', () => {
    const fields = { code: 'ambiguous_credentials' };
    const error = new ServiceError('INVALID_REQUEST', 'Two keys.', { fields });
    expect(encodeError(error).body.error.code).toBe('ambiguous_credentials');
  });

  it('omits causes and other fields', () => {
    const error = new ServiceError('UNAVAILABLE', 'Down.', {
      cause: new Error('db.internal:5432'),
      fields: { proof: 'pf_1' },
    });
    expect(JSON.stringify(encodeError(error))).not.toMatch(/db\.internal|pf_1/);
  });
});

describe('encodeErrorFrame', () => {
  it('is one data event with the same body, without [DONE]', () => {
    const error = new ServiceError('PROVIDER_STREAM_CUT', 'Two\nlines "quoted".');
    const frame = encodeErrorFrame(error);
    expect(frame).toMatch(/^data: [^\n]+\n\n$/);
    expect(JSON.parse(frame.slice('data: '.length))).toEqual(encodeError(error).body);
  });
});
