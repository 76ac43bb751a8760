import type { Request } from 'express';
import { ServiceError } from '@witan/contracts';
import { BODY_BYTES_MAX } from '../http/read-body.ts';
import type { BodyMemory, Route, RouteCall } from '../http/route.ts';
import { releaseWhenClosed } from './limit-streams.ts';

/**
 * Adds the memory limit to a route that accepts large bodies or reads stored ones; all these routes
 * share one budget of bytes.
 */
export type LimitBodies = (route: Route) => Route;

/** `retry-after` of a refused call; a guess, because it is unknown when a running call ends. */
const RETRY_AFTER_S = '1';

/**
 * Limits the memory for request bodies, and for the stored responses that they refer to, to
 * `bytesMax` bytes in total. Bytes are reserved before a body is read and released after its call
 * was handled, unless the handler retains them. If too few bytes are free, throws RATE_LIMITED with
 * the code `too_many_uploads` if the workspace has running calls, else UNAVAILABLE.
 */
export const createLimitBodies = ({
  bytesMax,
  onRefused,
}: {
  bytesMax: number;
  onRefused: () => void;
}): LimitBodies => {
  const reserve = createByteBudget(bytesMax);
  const open = (workspaceId: string, bytes: number): BodyMemory => {
    const memory = openBodyMemory(reserve, workspaceId, () => {
      onRefused();
      return bytesMax;
    });
    memory.grow(bytes);
    return memory;
  };
  const bodies = new WeakMap<Request, { memory: BodyMemory; isHandled: boolean }>();
  return (route) => ({
    ...route,
    admit: (call) => {
      const { request, response, principal } = call;
      const memory = open(principal!.workspaceId, bytesOf(request, route));
      const body = { memory, isHandled: false };
      bodies.set(request, body);
      // Once the handler runs, only its end releases the bytes, because it may use the body after
      // the client disconnected.
      releaseWhenClosed(response, () => {
        if (!body.isHandled) memory.release();
      });
      route.admit?.(call);
    },
    handle: async (call: RouteCall) => {
      // A call of another route, such as of the MCP endpoint, was not admitted here.
      const body = bodies.get(call.request);
      const memory = body?.memory ?? open(call.principal!.workspaceId, call.source.length);
      if (body) body.isHandled = true;
      memory.shrinkTo(call.source.length);
      try {
        // Not copied, because a handler frees the memory of the body that the call holds.
        return await route.handle(Object.assign(call, { memory }));
      } finally {
        if (!memory.isRetained) memory.release();
      }
    },
  });
};

/**
 * Returns the number of bytes to reserve: the content length, or the route's limit if the body is
 * compressed or its length is unknown. A route without a body reads none.
 */
const bytesOf = (
  { headers }: Request,
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
