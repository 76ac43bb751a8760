import type { Response } from 'express';
import { ServiceError } from '@witan/contracts';
import { createPermits } from '@witan/service-kit';
import type { ReleasePermit } from '@witan/service-kit';
import { isStreamed } from '../http/route.ts';
import type { Route } from '../http/route.ts';

export type LimitStreams = (route: Route) => Route;

/** `retry-after` of a refused stream; a guess, because it is unknown when a running stream ends. */
const RETRY_AFTER_S = '1';

/**
 * Limits each API key to `max` concurrent streams. A stream's permit is released when its response
 * closes. Beyond the limit, a call fails with RATE_LIMITED and the code `too_many_streams`.
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
  // If the response is closed already, it will not emit another `close` event.
  if (response.closed) release();
  else response.once('close', release);
};

const tooManyStreams = (max: number): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    `This key may have ${max} running streams; try again when one of them has ended.`,
    { fields: { code: 'too_many_streams', retryAfter: RETRY_AFTER_S } },
  );
