import { conflict } from '@witan/contracts';
import type { KeyEnd, KeySummary } from './keys.ts';

export const GRACE_MS = 24 * 3_600_000;

/**
 * Returns when a rotated key ends: now if `immediately`, otherwise after 24 hours or at its own
 * expiry, whichever is earlier. Throws CONFLICT for a revoked or expired key.
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
