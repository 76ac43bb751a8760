import type { Request } from 'express';
import { ServiceError, unavailable } from '@witan/contracts';
import { createUploadRoom } from '../domain/limit/upload-room.ts';
import type { RoomRefused, RoomTaken } from '../domain/limit/upload-room.ts';
import { BODY_BYTES_MAX } from './read-body.ts';
import type { Route, RouteCall } from './route.ts';

/** Adds the limit to a route that accepts large bodies; all routes of one limit share its bytes. */
export type LimitUploads = (route: Route) => Route;

/** An estimate in seconds: it is unknown when a running upload ends. */
const RETRY_AFTER_S = '1';

/**
 * Limits the bodies in memory to `bytesMax` bytes in total, from before a body is read until its
 * call was handled. Throws RATE_LIMITED with the code `too_many_uploads` if the workspace has used
 * up its share, otherwise UNAVAILABLE.
 */
export const createLimitUploads = ({
  bytesMax,
  onRefused,
}: {
  bytesMax: number;
  onRefused: () => void;
}): LimitUploads => {
  const take = createUploadRoom(bytesMax);
  const uploads = new WeakMap<Request, RoomTaken & { isHandled: boolean }>();
  return (route) => ({
    ...route,
    admit: (call) => {
      const { request, response, principal } = call;
      const room = take(principal!.workspaceId, bytesOf(request, route));
      if (!room.isTaken) {
        onRefused();
        throw refusalOf(room);
      }
      const upload = { ...room, isHandled: false };
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

const refusalOf = ({ isOwn }: RoomRefused): ServiceError =>
  isOwn
    ? new ServiceError(
        'RATE_LIMITED',
        'There is no more room for uploads of this workspace while its others run; ' +
          'try again when one of them was answered.',
        { fields: { code: 'too_many_uploads', retryAfter: RETRY_AFTER_S } },
      )
    : unavailable('There is no room for another upload now; try again.');
