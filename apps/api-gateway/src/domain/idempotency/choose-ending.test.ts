import { describe, expect, it } from '@jest/globals';
import { chooseEnding } from './choose-ending.ts';

const OWN = { isTakenOver: false, proofId: 'pf_1' };
const TAKEN_OVER = { isTakenOver: true, proofId: 'pf_1' };

describe('chooseEnding', () => {
  it.each([200, 201, 202, 204, 400, 404, 413, 415, 422])('keeps an answer of %s', (status) => {
    for (const claim of [OWN, TAKEN_OVER]) {
      expect(chooseEnding({ status, proofId: 'pf_1' }, claim)).toBe('finish');
      expect(chooseEnding({ status, proofId: undefined }, claim)).toBe('finish');
    }
  });

  it.each([401, 402, 403, 408, 409, 429, 499, 500, 501, 502, 503, 504, 529])(
    'lets a call that was answered with %s be made anew, whether it has a certificate or not',
    (status) => {
      expect(chooseEnding({ status, proofId: 'pf_1' }, OWN)).toBe('forget');
      expect(chooseEnding({ status, proofId: undefined }, OWN)).toBe('forget');
    },
  );

  it.each<[string, string | undefined]>([
    ['nothing certified', undefined],
    ['something else certified', 'pf_2'],
  ])('keeps the proof id of a claim that was taken over and failed with %s', (_name, proofId) => {
    expect(chooseEnding({ status: 503, proofId }, TAKEN_OVER)).toBe('release');
  });

  it('drops the proof id of a claim that was taken over once its failure is certified', () => {
    expect(chooseEnding({ status: 502, proofId: 'pf_1' }, TAKEN_OVER)).toBe('forget');
  });
});
