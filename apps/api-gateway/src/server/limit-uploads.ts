import type { Request } from 'express';
import { ServiceError, unavailable } from '@witan/contracts';
import { BODY_BYTES_MAX } from '../http/read-body.ts';
import type { Route, RouteCall } from '../http/route.ts';

/**
 * Adds the upload limit to a route that accepts large bodies; all these routes share one budget of
 * bytes.
 */
export type LimitUploads = (route: Route) => Route;

/** `retry-after` of a refused upload; a guess, because it is unknown when a running upload ends. */
const RETRY_AFTER_S = '1';

/**
 * Limits the memory for request bodies to `bytesMax` bytes in total. Bytes are reserved before a
 * body is read and released after its call was handled. If too few bytes are free, throws
 * RATE_LIMITED with the code `too_many_uploads` if the workspace has running uploads, else
 * UNAVAILABLE.
 */
export const createLimitUploads = ({
  bytesMax,
  onRefused,
}: {
  bytesMax: number;
  onRefused: () => void;
}): LimitUploads => {
  const reserve = createUploadBudget(bytesMax);
  const uploads = new WeakMap<Request, BytesReserved & { isHandled: boolean }>();
  return (route) => ({
    ...route,
    admit: (call) => {
      const { request, response, principal } = call;
      const reservation = reserve(principal!.workspaceId, bytesOf(request, route));
      if (!reservation.isReserved) {
        onRefused();
        throw refusalOf(reservation);
      }
      const upload = { ...reservation, isHandled: false };
      uploads.set(request, upload);
      // Once the handler runs, only its end releases the bytes, because it may use the body after
      // the client disconnected.
      response.once('close', () => upload.isHandled || upload.release());
      route.admit?.(call);
    },
    handle: async (call: RouteCall) => {
      const upload = uploads.get(call.request)!;
      upload.isHandled = true;
      upload.shrink(call.source.length);
      try {
        return await route.handle(call);
      } finally {
        upload.release();
      }
    },
  });
};

/**
 * Returns the number of bytes to reserve: the content length, or the route's limit if the body is
 * compressed or its length is unknown.
 */
const bytesOf = ({ headers }: Request, { bodyBytesMax = BODY_BYTES_MAX }: Route): number => {
  const length = headers['content-encoding'] ? NaN : Number(headers['content-length'] ?? NaN);
  return length >= 0 ? Math.min(length, bodyBytesMax) : bodyBytesMax;
};

const refusalOf = ({ isWorkspaceShareUsed: isOwnShareUsed }: ReservationRefused): ServiceError =>
  isOwnShareUsed
    ? new ServiceError(
        'RATE_LIMITED',
        'There is no more room for uploads of this workspace while its others run; ' +
          'try again when one of them was answered.',
        { fields: { code: 'too_many_uploads', retryAfter: RETRY_AFTER_S } },
      )
    : unavailable('There is no room for another upload now; try again.');

export type ReserveBytes = (
  workspaceId: string,
  bytes: number,
) => BytesReserved | ReservationRefused;

export type BytesReserved = {
  isReserved: true;
  /** Reduces the reservation to `bytes`; a larger value changes nothing. */
  shrink: (bytes: number) => void;
  release: () => void;
};

type ReservationRefused = { isReserved: false; isWorkspaceShareUsed: boolean };

/**
 * Reserves memory for concurrent uploads, up to `bytesMax` bytes in total. Refuses a reservation if
 * the workspace's own total would exceed the bytes that are free before it. A single workspace with
 * many small uploads therefore gets about half of the memory and leaves room for another one.
 */
export const createUploadBudget = (bytesMax: number): ReserveBytes => {
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
    const shrink = (newBytes: number): void => {
      const rest = Math.min(reserved, newBytes);
      add(workspaceId, rest - reserved);
      reserved = rest;
    };
    return { isReserved: true, shrink, release: () => shrink(0) };
  };
};
