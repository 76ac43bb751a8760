import { describe, expect, it } from '@jest/globals';
import { ANSWER_BYTES, ANSWER_KINDS, splitAnswer, makeAnswer } from './make-answer.ts';

describe.each(ANSWER_KINDS)('an answer with %s', (kind) => {
  it('has the intended size in bytes', () => {
    expect(Buffer.byteLength(makeAnswer(kind).text)).toBe(ANSWER_BYTES);
  });

  it.each([16, 64, 0])('is complete when pieces of %d bytes are joined', (chunkBytes) => {
    const { text } = makeAnswer(kind);
    const pieces = splitAnswer(text, chunkBytes);

    expect(pieces.join('') === text).toBe(true);
    expect(pieces).toHaveLength(chunkBytes === 0 ? 1 : ANSWER_BYTES / chunkBytes);
  });
});

describe('makeAnswer', () => {
  it.each([
    ['prose', 0],
    ['dense tags', 1],
    ['adversarial', 0],
  ] as const)('returns the number of memories in %s', (kind, memories) => {
    expect(makeAnswer(kind).memories).toBe(memories);
  });
});
