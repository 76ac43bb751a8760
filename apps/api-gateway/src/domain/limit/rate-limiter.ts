/** What a call finds of its key's allowance. */
export type Allowance = {
  isAllowed: boolean;
  /** Calls that may follow at once. */
  remaining: number;
  /** Until one more call may follow, in milliseconds; at least 1. */
  nextInMs: number;
};

export type RateLimiter = {
  /** Spends one call of the key's allowance, or says when there will be one. */
  take: (keyId: string) => Allowance;
  /** Numbers remembered: up to two for each key of the last two minutes, at most `NUMBERS_MAX`. */
  readonly size: number;
};

const MINUTE_MS = 60_000;
/** Beyond it, those are forgotten who called longest ago, with what they had spent. */
export const NUMBERS_MAX = 200_000;

/**
 * Allows each key `perMinute` calls at once, and gives back one every `1/perMinute` of a minute.
 *
 * This is GCRA: a token bucket whose whole state is the time at which it is full again. One number
 * a key, no timer that refills, and unlike a window that starts anew at each minute it never lets
 * two bursts follow each other. `clock` tells whole milliseconds and must not go back.
 */
export const createRateLimiter = ({
  perMinute,
  clock,
}: {
  perMinute: number;
  clock: () => number;
}): RateLimiter => {
  // In ticks of 1/perMinute ms everything is whole: a call costs as many as a minute has ms.
  const allTicks = MINUTE_MS * perMinute;
  const fullAt = createMinuteMemory(NUMBERS_MAX);
  return {
    take: (keyId) => {
      const nowMs = clock();
      const now = nowMs * perMinute;
      const spent = Math.max(0, (fullAt.find(keyId) ?? now) - now);
      const isAllowed = spent + MINUTE_MS <= allTicks;
      if (isAllowed) fullAt.set(keyId, now + spent + MINUTE_MS, nowMs);
      const left = allTicks - spent - (isAllowed ? MINUTE_MS : 0);
      return {
        isAllowed,
        remaining: Math.floor(left / MINUTE_MS),
        nextInMs: Math.ceil((MINUTE_MS - (left % MINUTE_MS)) / perMinute),
      };
    },
    get size() {
      return fullAt.size();
    },
  };
};

/**
 * Remembers a number a key for one minute at least. That is enough: a minute after its last call
 * every allowance is full, as that of an unknown key is. Two generations cost the same for any
 * number of keys; a sweep, or an order that is kept in one map, does not.
 */
const createMinuteMemory = (max: number) => {
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  let recentSince = 0;
  return {
    find: (keyId: string): number | undefined => recent.get(keyId) ?? older.get(keyId),
    set: (keyId: string, value: number, nowMs: number): void => {
      if (nowMs - recentSince >= MINUTE_MS || recent.size >= max / 2) {
        older = recent;
        recent = new Map();
        recentSince = nowMs;
      }
      recent.set(keyId, value);
    },
    size: (): number => recent.size + older.size,
  };
};
