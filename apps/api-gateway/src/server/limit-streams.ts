import type { Response } from 'express';
import { ServiceError } from '@witan/contracts';
import { createPermits } from '@witan/service-kit';
import type { ReleasePermit } from '@witan/service-kit';
import type { Principal } from '../auth/authenticate.ts';
import { isStreamed } from '../http/route.ts';
import type { Route } from '../http/route.ts';

export type LimitStreams = (route: Route) => Route;

/** `retry-after` of a refused stream; a guess, because it is unknown when a running stream ends. */
const RETRY_AFTER_S = '1';

/**
 * Takes one of the streams that an API key may have at once. Throws RATE_LIMITED with the code
 * `too_many_streams` if none is free.
 */
export type TakeStream = (keyId: string) => ReleasePermit;

/** Limits each API key to `max` concurrent streams; 0 disables the limit. */
export const createTakeStream = ({
  max,
  onRefused,
}: {
  max: number;
  onRefused: () => void;
}): TakeStream => {
  const take = createPermits(max === 0 ? Infinity : max);
  return (keyId) => {
    const release = take(keyId);
    if (release) return release;
    onRefused();
    throw tooManyStreams(max);
  };
};

/** Limits the streams of routes. A stream is released when its response closes. */
export const createLimitStreams =
  (takeStream: TakeStream): LimitStreams =>
  (route) => ({
    ...route,
    handle: async (call) => {
      if (isStreamed(route, call)) {
        releaseWhenClosed(call.response, takeStream(call.principal!.keyId));
      }
      return await route.handle(call);
    },
  });

/**
 * Returns a function that takes one of the `max` responses that a workspace may have in the
 * background, and a stream of the key. Throws RATE_LIMITED if none is free.
 */
export const createTakeBackground = ({
  max,
  takeStream,
  onRefused,
}: {
  max: number;
  takeStream: TakeStream;
  onRefused: () => void;
}): TakeBackground => {
  const take = createPermits(max);
  return ({ workspaceId, keyId }) => {
    const releaseStream = takeStream(keyId);
    const release = take(workspaceId);
    if (!release) {
      releaseStream();
      onRefused();
      throw tooManyInBackground(max);
    }
    return () => {
      releaseStream();
      release();
    };
  };
};

export type TakeBackground = (principal: Pick<Principal, 'workspaceId' | 'keyId'>) => ReleasePermit;

const tooManyInBackground = (max: number): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    `This workspace may have ${max} responses in the background; try again when one of them has ` +
      'ended.',
    { fields: { code: 'too_many_in_background', retryAfter: RETRY_AFTER_S } },
  );

export const releaseWhenClosed = (response: Response, release: ReleasePermit): void => {
  // If the response is closed already, it will not emit another `close` event.
  if (response.closed) release();
  else response.once('close', release);
};

const tooManyStreams = (max: number): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    `This key may have ${max} running streams and responses in the background; ` +
      'try again when one of them has ended.',
    { fields: { code: 'too_many_streams', retryAfter: RETRY_AFTER_S } },
  );
