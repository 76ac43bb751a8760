import { describe, expect, it } from '@jest/globals';
import { parseIdempotencyKey } from './idempotency-key.ts';

describe('parseIdempotencyKey', () => {
  it.each([
    ['one character', 'a'],
    ['255 characters', 'k'.repeat(255)],
    ['spaces, quotes, commas', '"a", b'],
    ['letters beyond ASCII', 'clé-ÿ'],
  ])('accepts %s', (_name, text) => {
    expect(parseIdempotencyKey(text)).toBe(text);
  });

  it.each([
    ['an empty text', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a tab', 'a\tb'],
    ['a NUL', 'a\0b'],
    ['DEL', 'a\x7f'],
    ['a control character beyond ASCII', 'a\x85b'],
  ])('refuses %s', (_name, text) => {
    expect(() => parseIdempotencyKey(text)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: { param: 'Idempotency-Key' },
      }),
    );
  });
});
