import { describe, expect, it } from '@jest/globals';
import { REASONS, ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import { decodeError, encodeError, encodeErrorFrame, encodeRefusal } from './encode-error.ts';

const CONTEXT = { requestId: 'req_1' };

/** Status and type of every reason, from the table in docs/spec.md#4.6. */
const TABLE: Readonly<Record<Reason, readonly [number, string]>> = {
  INVALID_REQUEST: [400, 'invalid_request_error'],
  UNAUTHENTICATED: [401, 'authentication_error'],
  INSUFFICIENT_SCOPE: [403, 'permission_error'],
  INSUFFICIENT_QUOTA: [429, 'rate_limit_error'],
  RATE_LIMITED: [429, 'rate_limit_error'],
  NOT_FOUND: [404, 'not_found_error'],
  METHOD_NOT_ALLOWED: [405, 'invalid_request_error'],
  CONFLICT: [409, 'invalid_request_error'],
  IDEMPOTENCY_KEY_REUSED: [422, 'invalid_request_error'],
  REQUEST_TOO_LARGE: [413, 'request_too_large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'invalid_request_error'],
  NOT_IMPLEMENTED: [501, 'invalid_request_error'],
  PROVIDER_UNREACHABLE: [502, 'api_error'],
  PROVIDER_CREDENTIALS_REFUSED: [502, 'api_error'],
  PROVIDER_INVALID_ANSWER: [502, 'api_error'],
  PROVIDER_STREAM_CUT: [502, 'api_error'],
  PROVIDER_TIMEOUT: [504, 'timeout_error'],
  DEADLINE_EXCEEDED: [504, 'timeout_error'],
  UNAVAILABLE: [529, 'overloaded_error'],
  LEDGER_UNAVAILABLE: [529, 'overloaded_error'],
  LOCAL_RUNTIME_UNAVAILABLE: [503, 'api_error'],
  CALLER_REFUSED: [500, 'api_error'],
  CANCELLED: [499, 'api_error'],
  INTERNAL: [500, 'api_error'],
};

describe('encodeError', () => {
  it.each(REASONS)('encodes %s as in the error table, with the request id', (reason) => {
    const [status, type] = TABLE[reason];
    expect(encodeError(new ServiceError(reason, 'What was wrong.'), CONTEXT)).toEqual({
      status,
      body: { type: 'error', error: { type, message: 'What was wrong.' }, request_id: 'req_1' },
    });
  });

  it('omits causes and fields', () => {
    const error = new ServiceError('UNAVAILABLE', 'Down.', {
      cause: new Error('db.internal:5432'),
      fields: { proof: 'pf_1' },
    });
    expect(JSON.stringify(encodeError(error, CONTEXT))).not.toMatch(/db\.internal|pf_1/);
  });
});

describe('encodeErrorFrame', () => {
  it('is one error event with the same body', () => {
    const error = new ServiceError('PROVIDER_STREAM_CUT', 'Two\nlines "quoted".');
    const frame = encodeErrorFrame(error, CONTEXT);
    expect(frame).toMatch(/^event: error\ndata: [^\n]+\n\n$/);
    expect(JSON.parse(frame.slice('event: error\ndata: '.length))).toEqual(
      encodeError(error, CONTEXT).body,
    );
  });
});

describe('encodeRefusal', () => {
  const refusal = { message: 'No.', code: 'c', param: '' };

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [408, 'timeout_error'],
    [413, 'request_too_large'],
    [418, 'invalid_request_error'],
    [422, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('encodes the status %i as an error type', (status, type) => {
    expect(encodeRefusal(refusal, { ...CONTEXT, status })).toEqual({
      type: 'error',
      error: { type, message: 'No.' },
      request_id: 'req_1',
    });
  });

  it('names the parameter once in the message', () => {
    const of = (message: string) =>
      encodeRefusal({ ...refusal, message, param: 'tools[0].name' }, { ...CONTEXT, status: 400 });
    expect(of('Too long.').error.message).toBe('tools[0].name: Too long.');
    expect(of('tools[0].name is bad.').error.message).toBe('tools[0].name is bad.');
  });

  it('always has a message', () => {
    const withoutMessage = encodeRefusal(
      { message: '', code: '', param: '' },
      { ...CONTEXT, status: 502 },
    );
    expect(withoutMessage.error.message).toContain('502');
  });
});

describe('decodeError', () => {
  const NOTHING = { message: '', code: '', param: '' };

  it.each([
    [{ type: 'error', error: { type: 'api_error', message: 'm' } }, { message: 'm' }],
    [
      { type: 'error', error: { message: 'm', details: { error_code: 'tool_name_conflict' } } },
      { message: 'm', code: 'tool_name_conflict' },
    ],
    [{ error: { message: 'm', code: 'c', param: 'p' } }, { message: 'm', code: 'c', param: 'p' }],
    [{ error: 'm' }, { message: 'm' }],
    [{ message: 'm' }, { message: 'm' }],
    [{}, {}],
    [{ error: { message: { deep: 1 }, code: 5, details: 'x' } }, {}],
    [{ error: null, message: null }, {}],
  ])('parses %j', (body, expected) => {
    expect(decodeError(body)).toEqual({ ...NOTHING, ...expected });
  });
});
