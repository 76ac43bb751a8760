import { conflict } from '@witan/contracts';
import type { KeyEnd, KeySummary } from './keys.ts';

/** A rotated key works on for this time, in milliseconds, so that its users can change over. */
export const GRACE_MS = 24 * 3_600_000;

/**
 * How a key ends when another takes its place now: at once, or 24 hours later and never after its
 * own end. Throws CONFLICT for a key that is revoked or expired.
 */
export const planRotation = (
  key: Pick<KeySummary, 'revokedAt' | 'expiresAt'>,
  { now, immediately }: { now: Date; immediately: boolean },
): KeyEnd => {
  if (key.revokedAt) throw conflict('This key is revoked: make a new one instead.');
  if (key.expiresAt && key.expiresAt <= now) {
    throw conflict('This key has expired: make a new one instead.');
  }
  if (immediately) return { revokedAt: now };
  const grace = now.getTime() + GRACE_MS;
  return { graceUntil: new Date(Math.min(grace, key.expiresAt?.getTime() ?? grace)) };
};
