import { setTimeout as pause } from 'node:timers/promises';
import { countReservations } from './completions/count-reservations.ts';

const POLL_MS = 100;

/**
 * Waits until the ledger has no open reservation. Returns the time waited in milliseconds, or
 * undefined if some reservations are still open after `limitMs`.
 */
export const untilNoOpenReservation = async (
  home: string,
  limitMs: number,
): Promise<number | undefined> => {
  const startedAt = Date.now();
  while (Date.now() < startedAt + limitMs) {
    const { held } = await countReservations(home);
    if (held === 0) return Date.now() - startedAt;
    await pause(POLL_MS);
  }
  return undefined;
};
