import type { Response } from 'express';
import { ServiceError } from '@witan/contracts';
import { createPermits } from '@witan/service-kit';
import type { ReleasePermit } from '@witan/service-kit';
import { isStreamed } from './route.ts';
import type { Route } from './route.ts';

/** Adds the limit to a route of completions; all routes of one limit share its places. */
export type LimitStreams = (route: Route) => Route;

/** Nobody knows when a running stream will end, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * A limit of `max` running streams a key. A place is free again when the response closes, whoever
 * ended it. A call beyond the limit throws RATE_LIMITED with the code `too_many_streams`.
 */
export const createLimitStreams = ({
  max,
  onRefused,
}: {
  max: number;
  onRefused: () => void;
}): LimitStreams => {
  const take = createPermits(max);
  return (route) => ({
    ...route,
    handle: async (call) => {
      if (isStreamed(route, call)) {
        const release = take(call.principal!.keyId);
        if (!release) {
          onRefused();
          throw tooManyStreams(max);
        }
        releaseWhenClosed(call.response, release);
      }
      return await route.handle(call);
    },
  });
};

const releaseWhenClosed = (response: Response, release: ReleasePermit): void => {
  // A client may be gone by now, and then there is nothing more to hear of it.
  if (response.closed) release();
  else response.once('close', release);
};

const tooManyStreams = (max: number): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    `This key may have ${max} running streams; try again when one of them has ended.`,
    { fields: { code: 'too_many_streams', retryAfter: RETRY_AFTER_S } },
  );
