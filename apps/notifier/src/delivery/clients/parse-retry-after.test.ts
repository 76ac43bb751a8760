import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from './parse-retry-after.ts';

const NOW = new Date('2026-11-20T09:30:00.000Z');

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['Fri, 20 Nov 2026 09:31:30 GMT', 90_000],
    ['Fri, 20 Nov 2026 09:29:00 GMT', 0],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['9999999999', undefined],
    ['soon', undefined],
    ['2026-11-20T09:31:30Z', undefined],
    ['Fri, 99 Xyz 2026 09:31:30 GMT', undefined],
  ])('of %j is %s ms', (text, delayMs) => {
    expect(parseRetryAfter(text, NOW)).toBe(delayMs);
  });
});
