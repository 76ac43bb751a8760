import { describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { findCertificateViolations } from './find-certificate-violations.ts';
import type { CertificateEvidence } from './find-certificate-violations.ts';

const makeCertificate = (id: string, sha256: string, finishReason = 'stop'): Certificate =>
  ({ payload: { id, egress: { sha256 }, response: { finishReason } } }) as Certificate;

const CALL = { runNumber: 1, key: '1 Craft', sha256: 'a' };

/** Evidence without violations: after a kill, the same call was repeated with equal bytes. */
const GOOD: CertificateEvidence = {
  calls: [CALL, CALL],
  certificates: [makeCertificate('pf_1', 'a', 'aborted'), makeCertificate('pf_2', 'a')],
  proofIds: ['pf_2'],
};

const VIOLATION_CASES: readonly (readonly [string, Partial<CertificateEvidence>, string])[] = [
  [
    'a call without its certificate',
    { calls: [...GOOD.calls, CALL] },
    'run 1, 1 Craft: 3 received, 2 certificates',
  ],
  [
    'a certificate without a call',
    { certificates: [...GOOD.certificates, makeCertificate('pf_3', 'b')] },
    'pf_3',
  ],
  [
    'a message whose certificate is not in the chain',
    { proofIds: ['pf_9'] },
    'pf_9: named by a message',
  ],
  ['a message whose answer was aborted', { proofIds: ['pf_1'] }, 'certified as aborted'],
];

describe('findCertificateViolations', () => {
  it('accepts one certificate per call', () => {
    expect(findCertificateViolations(GOOD)).toEqual([]);
  });

  it('accepts the certificate of a call that was never sent', () => {
    const certificates = [...GOOD.certificates, makeCertificate('pf_3', 'b', 'lost')];
    expect(findCertificateViolations({ ...GOOD, certificates })).toEqual([]);
  });

  it.each(VIOLATION_CASES)('finds %s', (_what, change, message) => {
    expect(findCertificateViolations({ ...GOOD, ...change })).toEqual([
      expect.stringContaining(message),
    ]);
  });
});
