import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { FailedCall } from '../outcome.ts';
import { toServiceError } from '../complete.ts';

const fieldsOf = (call: Partial<FailedCall>, error: ServiceError, retryAfter?: string) => {
  const failure = { error, isFailover: false, ...(retryAfter ? { retryAfter } : {}) };
  const failed = {
    proofId: undefined,
    isUnsent: false,
    ...call,
    failure,
    state: 'failed' as const,
  };
  const thrown = toServiceError(failed);
  expect(thrown).toMatchObject({ reason: error.reason, message: error.message });
  return thrown.fields;
};

describe('the fields of a thrown failure', () => {
  const limited = new ServiceError('RATE_LIMITED', 'slow down');
  const unsent = new ServiceError('CANCELLED', 'left', { fields: { unsent: 'true' } });
  const held = new ServiceError('RATE_LIMITED', 'held', {
    fields: { code: 'balance_held', retryAfter: '1' },
  });

  it.each([
    ['none', {}, limited, undefined, {}],
    ['the certificate', { proofId: 'pf_1' }, limited, undefined, { proof: 'pf_1' }],
    ['the advice', { proofId: 'pf_1' }, limited, '7', { proof: 'pf_1', retryAfter: '7' }],
    ['unsent', { isUnsent: true }, unsent, undefined, { unsent: 'true' }],
    ['unsent only of the whole call', { proofId: 'pf_1' }, unsent, undefined, { proof: 'pf_1' }],
    [
      'those of the ledger',
      { isUnsent: true },
      held,
      undefined,
      { code: 'balance_held', retryAfter: '1', unsent: 'true' },
    ],
  ])('are %s', (_name, call, error, retryAfter, expected) => {
    expect(fieldsOf(call, error, retryAfter)).toEqual(expected);
  });
});
