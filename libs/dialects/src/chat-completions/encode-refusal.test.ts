import { describe, expect, it } from '@jest/globals';
import { encodeRefusal } from './encode-error.ts';

const emptyRefusal = { message: '', code: '', param: '' };

describe('encodeRefusal', () => {
  it("preserves the provider's message, code and parameter", () => {
    const refusal = { message: 'Too long.', code: 'context_length_exceeded', param: 'messages' };
    expect(encodeRefusal(refusal, { status: 400 })).toEqual({
      error: {
        message: 'Too long.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    });
  });

  it.each([
    [400, 'invalid_request_error', null],
    [402, 'insufficient_quota', 'insufficient_quota'],
    [404, 'invalid_request_error', null],
    [413, 'invalid_request_error', null],
    [429, 'rate_limit_error', 'rate_limit_exceeded'],
    [500, 'server_error', null],
    [503, 'server_error', 'overloaded'],
    [529, 'server_error', 'overloaded'],
  ])('encodes status %i with all four members', (status, type, code) => {
    const { error } = encodeRefusal({ ...emptyRefusal, message: 'No.' }, { status });
    expect(error).toEqual({ message: 'No.', type, param: null, code });
  });

  it('always has a message', () => {
    expect(encodeRefusal(emptyRefusal, { status: 500 }).error.message).toMatch(/did not say why/);
  });
});
