import type { Response } from 'express';
import { ServiceError } from '@witan/contracts';
import { createRateLimiter } from '../limits/rate-limiter.ts';

export type LimitRate = (keyId: string, response: Response) => void;

/**
 * Limits each API key to `perMinute` calls and sets the rate limit headers of every response
 * (draft-ietf-httpapi-ratelimit-headers-10): `r` calls are allowed now, one more in `t` seconds.
 * `clock` must be monotonic and return whole milliseconds.
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
