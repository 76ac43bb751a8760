import { describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { findChargeViolations } from './find-charge-violations.ts';
import type { LedgerReservation, LedgerEntry, Ledger } from './read-ledger.ts';

const certify = (id: string, totalTokens: number): Certificate =>
  ({ payload: { id, response: { usage: { totalTokens } } } }) as unknown as Certificate;
const enter = (certificateId: string, amount: number, kind = 'usage'): LedgerEntry => ({
  kind,
  source: 'account',
  amount,
  certificateId,
});
const settle = (id: string, actual: number, unpaid = 0): LedgerReservation => ({
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
const CERTIFICATES = [certify('pf_1', 100), certify('pf_2', 500), certify('pf_3', 0)];
const LEDGER: Ledger = {
  posted: 440,
  held: 0,
  entries: [CREDIT, enter('pf_1', 100), enter('pf_2', 400), enter('pf_2', 60, 'overrun')],
  calls: [
    settle('pf_1', 100),
    settle('pf_2', 460, 40),
    settle('pf_3', 0),
    { id: 'pf_4', state: 'released', actual: null, unpaid: null },
  ],
};

const CASES: readonly (readonly [string, Partial<Ledger>, string])[] = [
  [
    'a call that is charged twice',
    { entries: [...LEDGER.entries, enter('pf_1', 100)], posted: 340 },
    'pf_1: 2 entries',
  ],
  [
    'a call that is charged for nothing',
    { entries: [...LEDGER.entries, enter('pf_4', 5)], posted: 435 },
    'pf_4: charged without a certificate',
  ],
  [
    'a certificate that is charged although nothing was used',
    { entries: [...LEDGER.entries, enter('pf_3', 5)], posted: 435 },
    'pf_3: 1 entries',
  ],
  [
    'usage that nobody was charged for',
    { entries: LEDGER.entries.toSpliced(1, 1), posted: 540 },
    'pf_1: 0 entries',
  ],
  [
    'another amount than was certified',
    { entries: LEDGER.entries.with(1, enter('pf_1', 99)), posted: 441 },
    'pf_1: 100 tokens certified, 99 charged',
  ],
  [
    'a charge that the reservation does not know',
    { calls: LEDGER.calls.with(0, settle('pf_1', 99)) },
    'pf_1: 100 tokens certified',
  ],
  [
    'a certificate whose reservation is still held',
    { calls: LEDGER.calls.with(0, { ...settle('pf_1', 100), state: 'held' }) },
    'pf_1: its reservation is held',
  ],
  ['a balance that does not follow from the entries', { posted: 441 }, 'posted: 441, not 440'],
  ['tokens that stay held', { held: 1 }, 'held: 1, not 0'],
  [
    'usage that the licence pays in place of the account',
    { entries: LEDGER.entries.with(1, { ...enter('pf_1', 100), source: 'licence' }) },
    'usage that no account paid',
  ],
];

describe('findChargeViolations', () => {
  it('finds nothing in a consistent ledger', () => {
    expect(findChargeViolations(CERTIFICATES, LEDGER)).toEqual({
      violations: [],
      charges: { charged: 560, overrun: 60, unpaid: 40, entries: 3 },
    });
  });

  it.each(CASES)('finds %s', (_name, change, message) => {
    const { violations } = findChargeViolations(CERTIFICATES, { ...LEDGER, ...change });
    expect(violations).toContainEqual(expect.stringContaining(message));
  });
});
