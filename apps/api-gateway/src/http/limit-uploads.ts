import type { Request } from 'express';
import { ServiceError, unavailable } from '@witan/contracts';
import { createUploadBudget } from '../domain/limit/upload-budget.ts';
import type { ReservationRefused, BytesReserved } from '../domain/limit/upload-budget.ts';
import { BODY_BYTES_MAX } from './read-body.ts';
import type { Route, RouteCall } from './route.ts';

/** Adds the limit to a route that accepts large bodies; all routes of one limit share its bytes. */
export type LimitUploads = (route: Route) => Route;

/** An estimate, because it is unknown when a running upload ends. */
const RETRY_AFTER_S = '1';

/**
 * Limits the bodies in memory to `bytesMax` bytes in total, from before a body is read until its
 * call was handled. Throws RATE_LIMITED with the code `too_many_uploads` if the workspace has used
 * up its share, or UNAVAILABLE if other workspaces use the memory.
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
      // A handler may still use the body after its client disconnected.
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
 * Returns the reserved bytes: the content length, or the route's limit if the body is compressed or
 * has no length.
 */
const bytesOf = ({ headers }: Request, { bodyBytesMax = BODY_BYTES_MAX }: Route): number => {
  const length = headers['content-encoding'] ? NaN : Number(headers['content-length'] ?? NaN);
  return length >= 0 ? Math.min(length, bodyBytesMax) : bodyBytesMax;
};

const refusalOf = ({ isOwnShareUsed }: ReservationRefused): ServiceError =>
  isOwnShareUsed
    ? new ServiceError(
        'RATE_LIMITED',
        'There is no more room for uploads of this workspace while its others run; ' +
          'try again when one of them was answered.',
        { fields: { code: 'too_many_uploads', retryAfter: RETRY_AFTER_S } },
      )
    : unavailable('There is no room for another upload now; try again.');
