import { describe, expect, it } from '@jest/globals';
import { readDayRange, toInstants } from './day.ts';

describe('ranges of days', () => {
  it.each<[object, boolean]>([
    [{ from: '2026-11-01', to: '2026-11-01' }, true],
    [{ from: '2026-11-02', to: '2026-11-01' }, false],
    [{ from: '0002-11-01', to: '2026-11-01' }, false],
    [{ from: '2026-13-01', to: '2026-13-02' }, false],
    [{ from: '2026-02-01', to: '2026-02-31' }, false],
    [{ from: '2026-11-01' }, false],
    [{ from: 1, to: 2 }, false],
  ])('are read from an address: %j', (search, isRange) => {
    expect(readDayRange(search as Record<string, unknown>)).toEqual(isRange ? search : undefined);
  });

  it('end with the last millisecond before the next day', () => {
    const { from, to } = toInstants({ from: '2026-03-28', to: '2026-03-29' });
    expect(new Date(from)).toEqual(new Date(2026, 2, 28));
    expect(Date.parse(to) + 1).toBe(new Date(2026, 2, 30).getTime());
  });
});
