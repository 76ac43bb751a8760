import { describe, expect, it } from '@jest/globals';
import { GRACE_MS, planRotation } from './key-expiry.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const later = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);
const ACTIVE_KEY = { revokedAt: null, expiresAt: null };

describe('a rotated key', () => {
  it.each([
    ['24 hours later', null, GRACE_MS],
    ['at its own expiry if that is earlier', later(GRACE_MS - 1), GRACE_MS - 1],
    ['24 hours later when its own end comes after', later(GRACE_MS + 1), GRACE_MS],
  ])('ends %s', (_name, expiresAt, milliseconds) => {
    const plan = planRotation({ ...ACTIVE_KEY, expiresAt }, { now: NOW, immediately: false });
    expect(plan).toEqual({ graceUntil: later(milliseconds) });
    expect(GRACE_MS).toBe(86_400_000);
  });

  it('is revoked at once if requested', () => {
    expect(planRotation(ACTIVE_KEY, { now: NOW, immediately: true })).toEqual({ revokedAt: NOW });
  });

  it.each([
    ['is revoked', { ...ACTIVE_KEY, revokedAt: later(-1) }],
    ['expires now', { ...ACTIVE_KEY, expiresAt: NOW }],
  ])('is refused if it %s', (_name, key) => {
    for (const immediately of [true, false]) {
      const plan = (): unknown => planRotation(key, { now: NOW, immediately });
      expect(plan).toThrow(expect.objectContaining({ reason: 'CONFLICT' }));
    }
  });
});
