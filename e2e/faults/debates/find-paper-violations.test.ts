import { describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { findPaperViolations } from './find-paper-violations.ts';
import type { Papers } from './find-paper-violations.ts';

const certify = (id: string, sha256: string, finishReason = 'stop'): Certificate =>
  ({ payload: { id, egress: { sha256 }, response: { finishReason } } }) as Certificate;

const CALL = { debate: 1, key: '1 Craft', sha256: 'a' };

/** One call was repeated with equal bytes after a kill. */
const GOOD: Papers = {
  calls: [CALL, CALL],
  certificates: [certify('pf_1', 'a', 'aborted'), certify('pf_2', 'a')],
  named: ['pf_2'],
};

const FAULTS: readonly (readonly [string, Partial<Papers>, string])[] = [
  [
    'a call without its certificate',
    { calls: [...GOOD.calls, CALL] },
    'debate 1, 1 Craft: 3 received, 2 certificates',
  ],
  [
    'a certificate of no call',
    { certificates: [...GOOD.certificates, certify('pf_3', 'b')] },
    'pf_3',
  ],
  ['a message whose certificate is not there', { named: ['pf_9'] }, 'pf_9: named by a message'],
  ['a message of an answer that broke off', { named: ['pf_1'] }, 'certified as aborted'],
];

describe('findPaperViolations', () => {
  it('takes a certificate for each call', () => {
    expect(findPaperViolations(GOOD)).toEqual([]);
  });

  it('takes the certificate of a call that never left', () => {
    const certificates = [...GOOD.certificates, certify('pf_3', 'b', 'lost')];
    expect(findPaperViolations({ ...GOOD, certificates })).toEqual([]);
  });

  it.each(FAULTS)('finds %s', (_what, change, said) => {
    expect(findPaperViolations({ ...GOOD, ...change })).toEqual([expect.stringContaining(said)]);
  });
});
