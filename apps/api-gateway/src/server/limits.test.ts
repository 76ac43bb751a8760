import { describe, expect, it } from '@jest/globals';
import { bytesOf, createByteBudget } from './limits.ts';
import type { BytesReserved, ReserveBytes } from './limits.ts';

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

describe('the memory of a body', () => {
  it.each([
    ['is its content length', { 'content-length': '60' }, {}, 60],
    ['is at most the limit of the route', { 'content-length': '2000' }, {}, 1_000],
    [
      'is the limit if it is compressed',
      { 'content-length': '60', 'content-encoding': 'br' },
      {},
      1_000,
    ],
    ['is the limit if its length is unknown', { 'transfer-encoding': 'chunked' }, {}, 1_000],
    ['is nothing for a route without a body', { 'content-length': '60' }, undefined, 0],
  ])('%s', (_name, headers, body, expected) => {
    expect(bytesOf({ headers }, { bodyBytesMax: 1_000, ...(body && { body }) })).toBe(expected);
  });
});
