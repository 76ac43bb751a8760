export type Allowance = {
  isAllowed: boolean;
  remaining: number;
  /** Time until one more call is allowed, in milliseconds; at least 1. */
  nextInMs: number;
};

export type RateLimiter = {
  take: (keyId: string) => Allowance;
  readonly size: number;
};

const MINUTE_MS = 60_000;
/**
 * Maximum number of keys in memory. Beyond it, the keys with the oldest calls are evicted and get
 * their full allowance back.
 */
export const ENTRIES_MAX = 200_000;

/**
 * Allows each key a burst of `perMinute` calls, refilled at one call every `1/perMinute` of a
 * minute.
 *
 * This is GCRA: a token bucket whose state is the time at which it is full again. It needs one
 * number per key and no refill timer, and unlike a fixed window it never allows two bursts in a
 * row. `clock` returns whole milliseconds and must be monotonic.
 */
export const createRateLimiter = ({
  perMinute,
  clock,
}: {
  perMinute: number;
  clock: () => number;
}): RateLimiter => {
  // In ticks of 1/perMinute ms all values are integers: a call costs MINUTE_MS ticks.
  const allTicks = MINUTE_MS * perMinute;
  const fullAt = createMinuteStore(ENTRIES_MAX);
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
 * Stores a number per key for at least one minute; after a minute without calls every allowance is
 * full, as for an unknown key. Two generations make eviction O(1) for any number of keys.
 */
const createMinuteStore = (max: number) => {
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
