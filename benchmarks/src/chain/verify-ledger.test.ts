import { describe, expect, it } from '@jest/globals';
import { verifyLedger } from './verify-ledger.ts';
import type { WorkspaceLedger } from './verify-ledger.ts';

const GOOD: WorkspaceLedger = {
  workspaceId: 'ws_1',
  posted: 360,
  held: 0,
  credited: 1_000,
  usageEntries: 2,
  used: 640,
  usedBy: 2,
  unpaid: 0,
  open: 0,
  certificates: 2,
  certified: 640,
};
const CALLS = new Map([['ws_1', 2]]);
const METERED = { calls: CALLS, metering: 'metered' } as const;

const CASES: readonly (readonly [string, Partial<WorkspaceLedger>])[] = [
  ['a call without its certificate', { certificates: 1 }],
  ['more usage entries than calls', { usageEntries: 3 }],
  ['a call that was charged twice in place of another', { usedBy: 1 }],
  ['a charged amount that differs from the certified usage', { used: 639, posted: 361 }],
  ['usage that was not charged', { used: 600, unpaid: 40, posted: 400 }],
  ['a balance that differs from the entries', { posted: 361 }],
  ['tokens that are still held', { held: 1 }],
  ['an open reservation', { open: 1 }],
];

describe('verifyLedger', () => {
  it('accepts a consistent ledger and returns its totals', () => {
    expect(verifyLedger([GOOD], METERED)).toEqual({ workspaces: 1, calls: 2, tokens: 640 });
  });

  it('expects no balance if usage is recorded without charging', () => {
    const unmetered = { ...GOOD, posted: 0, credited: 0 };
    expect(() => verifyLedger([unmetered], { calls: CALLS, metering: 'unmetered' })).not.toThrow();
    expect(() => verifyLedger([unmetered], METERED)).toThrow('posted');
  });

  it.each(CASES)('finds %s', (_name, change) => {
    expect(() => verifyLedger([{ ...GOOD, ...change }], METERED)).toThrow('ws_1');
  });

  it('finds a workspace without ledger entries, and one without calls', () => {
    expect(() => verifyLedger([], METERED)).toThrow('ws_1 has no ledger entries');
    const other = { ...GOOD, workspaceId: 'ws_2' };
    expect(() => verifyLedger([GOOD, other], METERED)).toThrow('ws_2');
  });
});
