import type { Response } from 'express';
import { ServiceError } from '@witan/contracts';

export type LimitRate = (keyId: string, response: Response) => void;

/**
 * Limits the calls of each API key as `createRateLimiter` does, and sets the rate limit headers of
 * the response (draft-ietf-httpapi-ratelimit-headers-10): `r` calls are allowed now, one more in
 * `t` seconds. `clock` must be monotonic and return whole milliseconds.
 */
export const createLimitRate = ({
  perMinute,
  clock,
  onRefused,
}: {
  perMinute: number;
  clock: () => number;
  onRefused: () => void;
}): LimitRate => {
  const limiter = createRateLimiter({ perMinute, clock });
  return (keyId, response) => {
    const { isAllowed, remaining, nextInMs } = limiter.take(keyId);
    const seconds = Math.ceil(nextInMs / 1_000);
    response.setHeader('ratelimit-policy', `"default";q=${perMinute};w=60`);
    response.setHeader('ratelimit', `"default";r=${remaining};t=${seconds}`);
    if (isAllowed) return;
    onRefused();
    throw new ServiceError(
      'RATE_LIMITED',
      `This key may make ${perMinute} calls a minute; try again in ${seconds} s.`,
      { fields: { retryAfter: String(seconds) } },
    );
  };
};

type RateLimitState = {
  isAllowed: boolean;
  remaining: number;
  /** Milliseconds until the key may make one call more than now; at least 1. */
  nextInMs: number;
};

export type RateLimiter = {
  take: (keyId: string) => RateLimitState;
  readonly size: number;
};

const MINUTE_MS = 60_000;
/**
 * Maximum number of API keys in memory. Beyond it, the keys whose last calls are oldest are evicted
 * and have their full allowance again.
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
  // Unit of the values below: 1/perMinute ms, so that all of them are integers. A call costs
  // MINUTE_MS of these ticks.
  const allTicks = MINUTE_MS * perMinute;
  const fullAt = createMinuteStore(ENTRIES_MAX);
  return {
    take: (keyId) => {
      const nowMs = clock();
      const now = nowMs * perMinute;
      const usedMs = Math.max(0, (fullAt.find(keyId) ?? now) - now);
      const isAllowed = usedMs + MINUTE_MS <= allTicks;
      if (isAllowed) fullAt.set(keyId, now + usedMs + MINUTE_MS, nowMs);
      const left = allTicks - usedMs - (isAllowed ? MINUTE_MS : 0);
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
 * Creates a store of one number per key. It retains an entry for at least a minute, unless half of
 * `max` keys are written within that minute. Dropping an entry after a minute is safe, because
 * without calls its allowance is full again, as for an unknown key. The older of two maps is
 * deleted as a whole, so eviction takes constant time.
 */
const createMinuteStore = (max: number) => {
  let recent = new Map<string, number>();
  let olderEntries = new Map<string, number>();
  let recentSince = 0;
  return {
    find: (keyId: string): number | undefined => recent.get(keyId) ?? olderEntries.get(keyId),
    set: (keyId: string, value: number, nowMs: number): void => {
      if (nowMs - recentSince >= MINUTE_MS || recent.size >= max / 2) {
        olderEntries = recent;
        recent = new Map();
        recentSince = nowMs;
      }
      recent.set(keyId, value);
    },
    size: (): number => recent.size + olderEntries.size,
  };
};
