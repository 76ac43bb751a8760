import { describe, expect, it } from '@jest/globals';
import { chooseEnding, readFate } from './choose-ending.ts';

describe('chooseEnding', () => {
  it.each([200, 201, 202, 204, 400, 404, 413, 415, 422])('keeps an answer of %s', (status) => {
    expect(chooseEnding({ status, proofId: 'pf_1' })).toBe('finish');
    expect(chooseEnding({ status, proofId: undefined })).toBe('finish');
  });

  it.each([401, 402, 403, 408, 409, 429, 499, 500, 501, 502, 503, 504, 529])(
    'lets a call that was answered with %s be made anew once its failure is certified',
    (status) => {
      expect(chooseEnding({ status, proofId: 'pf_1' })).toBe('forget');
      expect(chooseEnding({ status, proofId: undefined })).toBe('release');
    },
  );
});

describe('readFate', () => {
  it.each([
    ['proof_id_open', 'running'],
    ['proof_id_settled', 'lost'],
    ['proof_id_released', 'given-up'],
    ['balance_held', undefined],
    [undefined, undefined],
  ])('of %s is %s', (code, fate) => {
    expect(readFate(code)).toBe(fate);
  });
});
