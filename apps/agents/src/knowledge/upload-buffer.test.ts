import { describe, expect, it } from '@jest/globals';
import { createUploadBuffer } from './upload-buffer.ts';
import type { UploadBuffer } from './upload-buffer.ts';

const TOO_MANY_UPLOADS = expect.objectContaining({
  reason: 'RATE_LIMITED',
  fields: { code: 'too_many_uploads', retryAfter: '1' },
});
const BUFFER_FULL = expect.objectContaining({ reason: 'UNAVAILABLE' });

const countAccepted = (buffer: UploadBuffer, workspaceId: string, bytes: number): number => {
  for (let count = 0; ; count += 1) {
    try {
      buffer.open(workspaceId).take(bytes);
    } catch {
      return count;
    }
  }
};

const errorOf = (work: () => void): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('createUploadBuffer', () => {
  it('reserves half of the budget for other workspaces', () => {
    const buffer = createUploadBuffer(128);
    expect(['a', 'b', 'c'].map((workspaceId) => countAccepted(buffer, workspaceId, 32))).toEqual([
      2, 1, 1,
    ]);
    expect(errorOf(() => buffer.open('a').take(32))).toEqual(TOO_MANY_UPLOADS);
    expect(errorOf(() => buffer.open('d').take(1))).toEqual(BUFFER_FULL);
  });

  it('never exceeds the budget', () => {
    const buffer = createUploadBuffer(100);
    const acceptedCounts = Array.from({ length: 26 }, (_, index) =>
      countAccepted(buffer, `ws${index}`, 1),
    );
    expect(acceptedCounts.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(errorOf(() => createUploadBuffer(100).open('a').take(101))).toEqual(BUFFER_FULL);
  });

  it('releases all bytes of a slot once', () => {
    const buffer = createUploadBuffer(4);
    const slot = buffer.open('a');
    slot.take(1);
    slot.take(1);
    expect(errorOf(() => slot.take(1))).toEqual(BUFFER_FULL);
    const other = buffer.open('a');
    expect(errorOf(() => other.take(1))).toEqual(TOO_MANY_UPLOADS);
    slot.release();
    slot.release();
    other.take(2);
    expect(errorOf(() => buffer.open('a').take(1))).toEqual(TOO_MANY_UPLOADS);
    expect(countAccepted(buffer, 'b', 1)).toBe(1);
  });
});
