import { describe, expect, it } from '@jest/globals';
import { createUploadRoom } from './upload-room.ts';
import type { RoomTaken, TakeRoom } from './upload-room.ts';

const fill = (take: TakeRoom, workspaceId: string, bytes: number): number => {
  let count = 0;
  while (take(workspaceId, bytes).isTaken) count += 1;
  return count;
};

describe('the room for uploads', () => {
  it('is half free while one workspace uploads, so that another one can', () => {
    const take = createUploadRoom(128);
    expect(['a', 'b', 'c'].map((workspaceId) => fill(take, workspaceId, 32))).toEqual([2, 1, 1]);
    expect(take('a', 1)).toEqual({ isTaken: false, isOwn: true });
    expect(take('d', 1)).toEqual({ isTaken: false, isOwn: false });
  });

  it('is never more than there is', () => {
    const take = createUploadRoom(100);
    const all = Array.from({ length: 26 }, (_, index) => fill(take, `ws${index}`, 1));
    expect(all.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(createUploadRoom(100)('a', 101)).toEqual({ isTaken: false, isOwn: false });
  });

  it('is given back in part, and once', () => {
    const take = createUploadRoom(10);
    const first = take('a', 5) as RoomTaken;
    expect(take('a', 5).isTaken).toBe(false);
    first.shrink(3);
    first.shrink(4);
    expect(take('a', 5).isTaken).toBe(false);
    first.release();
    first.release();
    expect(fill(take, 'a', 5)).toBe(1);
    expect(fill(take, 'b', 5)).toBe(1);
    expect(take('c', 1).isTaken).toBe(false);
  });
});
