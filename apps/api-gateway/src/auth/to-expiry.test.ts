import { describe, expect, it } from '@jest/globals';
import { toExpiry } from './key-expiry.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const MALFORMED_MESSAGE = 'must be a timestamp such as 2030-01-31T00:00:00Z';

describe('the expiry of a key', () => {
  it.each([
    ['2026-06-01T12:00:00.001Z', '2026-06-01T12:00:00.001Z'],
    ['2030-01-31T00:00:00Z', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T00:00:00.123456789+05:30', '2030-01-30T18:30:00.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ])('may be %s', (text, expiry) => {
    expect(toExpiry(text, NOW)).toEqual({ at: new Date(expiry) });
  });

  it.each(['2026-06-01T12:00:00Z', '2026-06-01T12:30:00+01:00', '1970-01-01T00:00:00Z'])(
    'must not be in the past: %s',
    (text) => {
      expect(toExpiry(text, NOW)).toEqual({ error: 'must be in the future' });
    },
  );

  it.each([
    '',
    'tomorrow',
    '2030-01-31',
    '2030-01-31T00:00:00',
    '2030-01-31 00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '2030-02-29T00:00:00Z',
    '2030-04-31T00:00:00Z',
    '2030-01-00T00:00:00Z',
    '2030-01-31T25:00:00Z',
    '2030-01-31T00:00:00+24:00',
    '2030-01-31T00:00:00Z\n',
    '1900000000000',
  ])('must be a timestamp, not "%s"', (text) => {
    expect(toExpiry(text, NOW)).toEqual({ error: MALFORMED_MESSAGE });
  });
});
