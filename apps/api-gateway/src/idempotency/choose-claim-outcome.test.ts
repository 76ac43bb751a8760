import { describe, expect, it } from '@jest/globals';
import { chooseClaimOutcome, readAttemptState } from './choose-claim-outcome.ts';

describe('chooseClaimOutcome', () => {
  it.each([200, 201, 202, 204, 400, 404, 413, 415, 422])(
    'stores a response with status %s',
    (status) => {
      expect(chooseClaimOutcome({ status, proofId: 'pf_1', isUnsent: false })).toBe('finish');
      expect(chooseClaimOutcome({ status, proofId: undefined, isUnsent: false })).toBe('finish');
    },
  );

  it.each([401, 402, 403, 408, 409, 429, 499, 500, 501, 502, 503, 504, 529])(
    'lets a call with status %s run again if it is certified or was never sent',
    (status) => {
      expect(chooseClaimOutcome({ status, proofId: 'pf_1', isUnsent: false })).toBe('discard');
      expect(chooseClaimOutcome({ status, proofId: undefined, isUnsent: true })).toBe('discard');
      expect(chooseClaimOutcome({ status, proofId: undefined, isUnsent: false })).toBe('release');
    },
  );
});

describe('readAttemptState', () => {
  it.each([
    ['proof_id_open', 'running'],
    ['proof_id_settled', 'lost'],
    ['proof_id_released', 'unsent'],
    ['balance_held', undefined],
    [undefined, undefined],
  ])('maps %s to %s', (code, attemptState) => {
    expect(readAttemptState(code)).toBe(attemptState);
  });
});
