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

/** RFC 3339 timestamp with an upper-case T and Z and at most nine digits of a second's fraction. */
const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1\d|2[0-3]):[0-5]\d)$/;

export const toExpiry = (text: string, now: Date): { at: Date } | { error: string } => {
  const [, year, month, day] = TIMESTAMP.exec(text) ?? [];
  const at = new Date(text);
  // The day is checked here, because `Date` converts 30 February to a day of March.
  if (!year || Number(day) > lastDayOf(Number(year), Number(month)) || Number.isNaN(+at)) {
    return { error: 'must be a timestamp such as 2030-01-31T00:00:00Z' };
  }
  return at > now ? { at } : { error: 'must be in the future' };
};

const lastDayOf = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();
