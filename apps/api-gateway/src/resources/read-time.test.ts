import { expect, it } from '@jest/globals';
import { readTime } from './read-time.ts';

it.each([
  ['2026-02-28T23:59:59Z', 1_772_323_199_000],
  ['2024-02-29T00:00:00+01:00', 1_709_161_200_000],
  ['2026-01-31t12:00:00.5z', 1_769_860_800_500],
])('reads %s', (text, time) => {
  expect(readTime('from', text)).toBe(time);
});

it.each([undefined, ''])('takes %j for an absent time', (text) => {
  expect(readTime('from', text)).toBeUndefined();
});

it.each(['2026-02-31T00:00:00Z', '2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-31'])(
  'refuses %s',
  (text) => {
    expect(() => readTime('from', text)).toThrow(
      expect.objectContaining({ invalidFields: [expect.objectContaining({ path: 'from' })] }),
    );
  },
);
