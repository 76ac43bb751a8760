import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { Route, RouteCall } from '../http/route.ts';
import { createByteBudget, createLimitBodies } from './limit-bodies.ts';
import type { BytesReserved, ReserveBytes } from './limit-bodies.ts';

const countReservations = (reserve: ReserveBytes, workspaceId: string, bytes: number): number => {
  let count = 0;
  while (reserve(workspaceId, bytes).isReserved) count += 1;
  return count;
};

describe('the memory budget for bodies', () => {
  it('leaves half free while one workspace uploads', () => {
    const reserve = createByteBudget(128);
    expect(
      ['a', 'b', 'c'].map((workspaceId) => countReservations(reserve, workspaceId, 32)),
    ).toEqual([2, 1, 1]);
    expect(reserve('a', 1)).toEqual({ isReserved: false, isWorkspaceShareUsed: true });
    expect(reserve('d', 1)).toEqual({ isReserved: false, isWorkspaceShareUsed: false });
  });

  it('is never exceeded', () => {
    const reserve = createByteBudget(100);
    const all = Array.from({ length: 26 }, (_, index) =>
      countReservations(reserve, `ws${index}`, 1),
    );
    expect(all.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(createByteBudget(100)('a', 101)).toEqual({
      isReserved: false,
      isWorkspaceShareUsed: false,
    });
  });

  it('is released partially and only once', () => {
    const reserve = createByteBudget(10);
    const first = reserve('a', 5) as BytesReserved;
    expect(reserve('a', 5).isReserved).toBe(false);
    first.shrink(3);
    first.shrink(4);
    expect(reserve('a', 5).isReserved).toBe(false);
    first.shrink(0);
    first.shrink(0);
    expect(countReservations(reserve, 'a', 5)).toBe(1);
    expect(countReservations(reserve, 'b', 5)).toBe(1);
    expect(reserve('c', 1).isReserved).toBe(false);
  });
});

describe('the memory limit of a route', () => {
  const limited = (body: object | undefined): Route =>
    createLimitBodies({ bytesMax: 100, onRefused: () => {} })({
      body,
      handle: async () => undefined,
    } as unknown as Route);
  const toCall = (isClosed: boolean): RouteCall => {
    const response = Object.assign(new EventEmitter(), { closed: isClosed });
    const request = { headers: { 'content-length': '60' }, method: 'POST' };
    return { request, response, principal: { workspaceId: 'ws_a' } } as unknown as RouteCall;
  };

  it('keeps nothing for a client that left before its body was read', () => {
    const route = limited({});
    route.admit!(toCall(true));
    const open = toCall(false);
    route.admit!(open);
    expect(() => route.admit!(toCall(false))).toThrow('all the memory');
    open.response.emit('close');
    route.admit!(toCall(false));
  });

  it('reserves nothing for a route without a body', () => {
    const route = limited(undefined);
    for (let count = 0; count < 3; count += 1) route.admit!(toCall(false));
    expect(() => limited({}).admit!(toCall(false))).not.toThrow();
  });
});
