import type { Response } from 'express';
import { ServiceError } from '@witan/contracts';
import { createRateLimiter } from '../domain/limit/rate-limiter.ts';

/** Counts a call of a key. Throws RATE_LIMITED when there were too many. */
export type LimitRate = (keyId: string, response: Response) => void;

/**
 * A limit of `perMinute` calls a key that tells every answer where its key stands
 * (draft-ietf-httpapi-ratelimit-headers-10): `r` calls may follow at once, one more in `t` seconds.
 * `clock` tells whole milliseconds and never goes back.
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
