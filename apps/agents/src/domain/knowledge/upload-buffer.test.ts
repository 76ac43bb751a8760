import { describe, expect, it } from '@jest/globals';
import { createUploadBuffer } from './upload-buffer.ts';
import type { UploadBuffer } from './upload-buffer.ts';

const TOO_MANY = expect.objectContaining({
  reason: 'RATE_LIMITED',
  fields: { code: 'too_many_uploads', retryAfter: '1' },
});
const NO_ROOM = expect.objectContaining({ reason: 'UNAVAILABLE' });

const fill = (buffer: UploadBuffer, workspaceId: string, bytes: number): number => {
  for (let count = 0; ; count += 1) {
    try {
      buffer.open(workspaceId).take(bytes);
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
    const buffer = createUploadBuffer(128);
    expect(['a', 'b', 'c'].map((workspaceId) => fill(buffer, workspaceId, 32))).toEqual([2, 1, 1]);
    expect(refusalOf(() => buffer.open('a').take(32))).toEqual(TOO_MANY);
    expect(refusalOf(() => buffer.open('d').take(1))).toEqual(NO_ROOM);
  });

  it('is never more than there is, in pieces or whole', () => {
    const buffer = createUploadBuffer(100);
    const all = Array.from({ length: 26 }, (_, index) => fill(buffer, `ws${index}`, 1));
    expect(all.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(refusalOf(() => createUploadBuffer(100).open('a').take(101))).toEqual(NO_ROOM);
  });

  it('is given back once, and whole', () => {
    const buffer = createUploadBuffer(4);
    const slot = buffer.open('a');
    slot.take(1);
    slot.take(1);
    expect(refusalOf(() => slot.take(1))).toEqual(NO_ROOM);
    const other = buffer.open('a');
    expect(refusalOf(() => other.take(1))).toEqual(TOO_MANY);
    slot.release();
    slot.release();
    other.take(2);
    expect(refusalOf(() => buffer.open('a').take(1))).toEqual(TOO_MANY);
    expect(fill(buffer, 'b', 1)).toBe(1);
  });
});
