import { describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { findChargeViolations } from './find-charge-violations.ts';
import type { LedgerReservation, LedgerEntry, Ledger } from './read-ledger.ts';

const makeCertificate = (id: string, totalTokens: number): Certificate =>
  ({ payload: { id, response: { usage: { totalTokens } } } }) as unknown as Certificate;
const makeEntry = (certificateId: string, amount: number, kind = 'usage'): LedgerEntry => ({
  kind,
  source: 'account',
  amount,
  certificateId,
});
const makeSettledReservation = (id: string, actual: number, unpaid = 0): LedgerReservation => ({
  id,
  state: 'settled',
  actual,
  unpaid,
});

const CREDIT = { kind: 'credit', source: 'operator', amount: 1_000, certificateId: null };
/**
 * Certificates of a call within its reservation, of one beyond its reservation and the balance, and
 * of one without usage.
 */
const CERTIFICATES = [
  makeCertificate('pf_1', 100),
  makeCertificate('pf_2', 500),
  makeCertificate('pf_3', 0),
];
const LEDGER: Ledger = {
  posted: 440,
  held: 0,
  entries: [
    CREDIT,
    makeEntry('pf_1', 100),
    makeEntry('pf_2', 400),
    makeEntry('pf_2', 60, 'overrun'),
  ],
  reservations: [
    makeSettledReservation('pf_1', 100),
    makeSettledReservation('pf_2', 460, 40),
    makeSettledReservation('pf_3', 0),
    { id: 'pf_4', state: 'released', actual: null, unpaid: null },
  ],
};

const VIOLATION_CASES: readonly (readonly [string, Partial<Ledger>, string])[] = [
  [
    'a call that is charged twice',
    { entries: [...LEDGER.entries, makeEntry('pf_1', 100)], posted: 340 },
    'pf_1: 2 entries',
  ],
  [
    'a charge without a certificate',
    { entries: [...LEDGER.entries, makeEntry('pf_4', 5)], posted: 435 },
    'pf_4: charged without a certificate',
  ],
  [
    'a certificate that is charged although nothing was used',
    { entries: [...LEDGER.entries, makeEntry('pf_3', 5)], posted: 435 },
    'pf_3: 1 entries',
  ],
  [
    'usage that was not charged',
    { entries: LEDGER.entries.toSpliced(1, 1), posted: 540 },
    'pf_1: 0 entries',
  ],
  [
    'a charge that differs from the certified usage',
    { entries: LEDGER.entries.with(1, makeEntry('pf_1', 99)), posted: 441 },
    'pf_1: 100 tokens certified, 99 charged',
  ],
  [
    'a charge that differs from the amount of the reservation',
    { reservations: LEDGER.reservations.with(0, makeSettledReservation('pf_1', 99)) },
    'pf_1: 100 tokens certified',
  ],
  [
    'a certificate whose reservation is still held',
    {
      reservations: LEDGER.reservations.with(0, {
        ...makeSettledReservation('pf_1', 100),
        state: 'held',
      }),
    },
    'pf_1: its reservation is held',
  ],
  ['a balance that differs from the sum of the entries', { posted: 441 }, 'posted: 441, not 440'],
  ['tokens that are still held', { held: 1 }, 'held: 1, not 0'],
  [
    'usage that is charged to the licence instead of the account',
    { entries: LEDGER.entries.with(1, { ...makeEntry('pf_1', 100), source: 'licence' }) },
    'usage that was not charged to an account',
  ],
];

describe('findChargeViolations', () => {
  it('finds nothing in a consistent ledger', () => {
    expect(findChargeViolations(CERTIFICATES, LEDGER)).toEqual({
      violations: [],
      charges: { charged: 560, overrun: 60, unpaid: 40, entries: 3 },
    });
  });

  it.each(VIOLATION_CASES)('finds %s', (_name, change, message) => {
    const { violations } = findChargeViolations(CERTIFICATES, { ...LEDGER, ...change });
    expect(violations).toContainEqual(expect.stringContaining(message));
  });
});
