import type { Request, Response } from 'express';
import { ServiceError } from '@witan/contracts';
import { createPermits } from '@witan/service-kit';
import type { ReleasePermit } from '@witan/service-kit';
import type { Principal } from '../auth/authenticate.ts';
import { BODY_BYTES_MAX } from '../http/read-body.ts';
import type { BodyMemory, Route } from '../http/route.ts';
import { createLimitRate } from './limit-rate.ts';
import type { LimitRate } from './limit-rate.ts';

/** What API keys and workspaces may use at once, and how often they may call. */
export type Limits = {
  /** Absent if the rate limit is disabled; then responses have no `ratelimit` headers. */
  limitRate?: LimitRate;
  /**
   * Takes one of the streams that an API key may have at once. Throws RATE_LIMITED with the code
   * `too_many_streams` if none is free.
   */
  takeStream: (keyId: string) => ReleasePermit;
  /**
   * Takes one of the responses that a workspace may have in the background, and a stream of the
   * key. Throws RATE_LIMITED if none is free.
   */
  takeBackground: (principal: Pick<Principal, 'workspaceId' | 'keyId'>) => ReleasePermit;
  /**
   * Reserves memory for a body and the stored responses that it refers to. If too few bytes are
   * free, throws RATE_LIMITED with the code `too_many_uploads` if the workspace has running calls,
   * else UNAVAILABLE.
   */
  reserveMemory: (workspaceId: string, bytes: number) => BodyMemory;
};

type LimitOptions = {
  /** Calls per minute and key; 0 disables the limit. */
  rateLimitPerMinute: number;
  /** Concurrent streams per key; 0 disables the limit. */
  maxStreamsPerKey: number;
  maxBackgroundPerWorkspace: number;
  /** Memory for bodies in total, of which one workspace can use about half. */
  bodyBytesMax: number;
};

export const createLimits = (
  options: LimitOptions,
  onLimited: (limit: 'rate' | 'streams' | 'background' | 'uploads') => void,
): Limits => {
  const { rateLimitPerMinute: perMinute, maxStreamsPerKey, bodyBytesMax } = options;
  const takeStreamPermit = createPermits(maxStreamsPerKey || Infinity);
  const takeBackgroundPermit = createPermits(options.maxBackgroundPerWorkspace);
  const reserveBytes = createByteBudget(bodyBytesMax);
  const takeStream = (keyId: string): ReleasePermit => {
    const release = takeStreamPermit(keyId);
    if (release) return release;
    onLimited('streams');
    throw tooManyStreams(maxStreamsPerKey);
  };
  return {
    ...(perMinute > 0 && {
      limitRate: createLimitRate({
        perMinute,
        clock: () => Math.floor(performance.now()),
        onRefused: () => onLimited('rate'),
      }),
    }),
    takeStream,
    takeBackground: ({ workspaceId, keyId }) => {
      const releaseStream = takeStream(keyId);
      const release = takeBackgroundPermit(workspaceId);
      if (!release) {
        releaseStream();
        onLimited('background');
        throw tooManyInBackground(options.maxBackgroundPerWorkspace);
      }
      return () => {
        releaseStream();
        release();
      };
    },
    reserveMemory: (workspaceId, bytes) => {
      const memory = openBodyMemory(reserveBytes, workspaceId, () => {
        onLimited('uploads');
        return bodyBytesMax;
      });
      memory.grow(bytes);
      return memory;
    },
  };
};

/** `retry-after` of a refused call; a guess, because it is unknown when a running call ends. */
const RETRY_AFTER_S = '1';

const tooManyStreams = (max: number): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    `This key may have ${max} running streams and responses in the background; ` +
      'try again when one of them has ended.',
    { fields: { code: 'too_many_streams', retryAfter: RETRY_AFTER_S } },
  );

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

/**
 * Returns the number of bytes to reserve before a body is read: its content length, or the route's
 * limit if the body is compressed or its length is unknown. A route without a body reads none.
 */
export const bytesOf = (
  { headers }: Pick<Request, 'headers'>,
  { body, bodyBytesMax = BODY_BYTES_MAX }: Pick<Route, 'body' | 'bodyBytesMax'>,
): number => {
  if (!body) return 0;
  const length = headers['content-encoding'] ? NaN : Number(headers['content-length'] ?? NaN);
  return length >= 0 ? Math.min(length, bodyBytesMax) : bodyBytesMax;
};

const openBodyMemory = (
  reserve: ReserveBytes,
  workspaceId: string,
  onRefused: () => number,
): BodyMemory => {
  const reserved: BytesReserved[] = [];
  return {
    isRetained: false,
    grow: (bytes) => {
      if (bytes === 0) return;
      const reservation = reserve(workspaceId, bytes);
      if (!reservation.isReserved) throw refusalOf(reservation, onRefused());
      reserved.push(reservation);
    },
    shrinkTo: (bytes) => {
      let left = bytes;
      for (const part of reserved) left -= part.shrink(left);
    },
    release: () => {
      for (const part of reserved.splice(0)) part.shrink(0);
    },
  };
};

const MIB = 1024 * 1024;

const refusalOf = (
  { isWorkspaceShareUsed: isOwnShareUsed }: ReservationRefused,
  bytesMax: number,
): ServiceError =>
  isOwnShareUsed
    ? new ServiceError(
        'RATE_LIMITED',
        'The running calls of this workspace take all the memory that it may use for bodies, ' +
          `${bytesMax / 2 / MIB} MiB with the stored responses that they continue; try again ` +
          'when one of them has ended.',
        { fields: { code: 'too_many_uploads', retryAfter: RETRY_AFTER_S } },
      )
    : new ServiceError('UNAVAILABLE', 'There is no room for the body of another call; try again.', {
        fields: { retryAfter: RETRY_AFTER_S },
      });

export type ReserveBytes = (
  workspaceId: string,
  bytes: number,
) => BytesReserved | ReservationRefused;

export type BytesReserved = {
  isReserved: true;
  /**
   * Reduces the reservation to `bytes` and returns what is left; a larger value changes nothing.
   */
  shrink: (bytes: number) => number;
};

type ReservationRefused = { isReserved: false; isWorkspaceShareUsed: boolean };

/**
 * Reserves memory for concurrent calls, up to `bytesMax` bytes in total. Refuses a reservation if
 * the workspace's own total would exceed the bytes that are free before it. A single workspace with
 * many small calls therefore gets about half of the memory and leaves room for another one.
 */
export const createByteBudget = (bytesMax: number): ReserveBytes => {
  const reservedBy = new Map<string, number>();
  let total = 0;
  const add = (workspaceId: string, bytes: number): void => {
    total += bytes;
    const left = (reservedBy.get(workspaceId) ?? 0) + bytes;
    if (left > 0) reservedBy.set(workspaceId, left);
    else reservedBy.delete(workspaceId);
  };
  return (workspaceId, bytes) => {
    const own = reservedBy.get(workspaceId) ?? 0;
    if (own + bytes > bytesMax - total) return { isReserved: false, isWorkspaceShareUsed: own > 0 };
    add(workspaceId, bytes);
    let reserved = bytes;
    const shrink = (newBytes: number): number => {
      const rest = Math.min(reserved, Math.max(0, newBytes));
      add(workspaceId, rest - reserved);
      reserved = rest;
      return rest;
    };
    return { isReserved: true, shrink };
  };
};
