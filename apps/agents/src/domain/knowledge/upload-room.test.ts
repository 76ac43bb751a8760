import { describe, expect, it } from '@jest/globals';
import { createUploadRoom } from './upload-room.ts';
import type { UploadRoom } from './upload-room.ts';

const TOO_MANY = expect.objectContaining({
  reason: 'RATE_LIMITED',
  fields: { code: 'too_many_uploads', retryAfter: '1' },
});
const NO_ROOM = expect.objectContaining({ reason: 'UNAVAILABLE' });

/** How many documents of a size a workspace may have at once; they keep their room. */
const fill = (room: UploadRoom, workspaceId: string, bytes: number): number => {
  for (let count = 0; ; count += 1) {
    try {
      room.open(workspaceId).take(bytes);
    } catch {
      return count;
    }
  }
};

const refusalOf = (work: () => void): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('the room for documents that are taken in', () => {
  it('is left free by half by one workspace, and finds room for whoever comes next', () => {
    const room = createUploadRoom(128);
    expect(['a', 'b', 'c'].map((workspaceId) => fill(room, workspaceId, 32))).toEqual([2, 1, 1]);
    expect(refusalOf(() => room.open('a').take(32))).toEqual(TOO_MANY);
    expect(refusalOf(() => room.open('d').take(1))).toEqual(NO_ROOM);
  });

  it('is never more than there is, in pieces or whole', () => {
    const room = createUploadRoom(100);
    const all = Array.from({ length: 26 }, (_, index) => fill(room, `ws${index}`, 1));
    expect(all.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(refusalOf(() => createUploadRoom(100).open('a').take(101))).toEqual(NO_ROOM);
  });

  it('is given back once, and whole', () => {
    const room = createUploadRoom(4);
    const place = room.open('a');
    place.take(1);
    place.take(1);
    expect(refusalOf(() => place.take(1))).toEqual(NO_ROOM);
    const other = room.open('a');
    expect(refusalOf(() => other.take(1))).toEqual(TOO_MANY);
    place.release();
    place.release();
    other.take(2);
    expect(refusalOf(() => room.open('a').take(1))).toEqual(TOO_MANY);
    expect(fill(room, 'b', 1)).toBe(1);
  });
});
