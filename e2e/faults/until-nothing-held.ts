import { setTimeout as pause } from 'node:timers/promises';
import { countReservations } from './completions/count-reservations.ts';

const POLL_MS = 100;

/**
 * Returns the milliseconds until every reservation had ended; undefined if some did not in time.
 */
export const untilNothingHeld = async (
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
